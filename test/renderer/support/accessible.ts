import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'
import type axe from 'axe-core'
import type { RunOptions } from 'axe-core'
import { isNight } from '../../support/night.ts'

/** Half as long as the source that the package exports. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const off = { enabled: false }

/** Rules whose violations are minor or moderate; one of them would fetch and parse all styles. */
const lesserRules = [
  'aria-allowed-role',
  'aria-deprecated-role',
  'empty-heading',
  'empty-table-header',
  'form-field-multiple-labels',
  'heading-order',
  'html-xml-lang-mismatch',
  'image-redundant-alt',
  'landmark-banner-is-top-level',
  'landmark-contentinfo-is-top-level',
  'landmark-main-is-top-level',
  'landmark-no-duplicate-banner',
  'landmark-no-duplicate-contentinfo',
  'landmark-no-duplicate-main',
  'landmark-one-main',
  'landmark-unique',
  'meta-viewport',
  'meta-viewport-large',
  'no-autoplay-audio',
  'page-has-heading-one',
  'presentation-role-conflict',
  'region',
  'scope-attr-valid',
  'server-side-image-map',
  'skip-link',
  'table-duplicate-name',
]

/** Rules about colors take most of the time, so they look at one element for each combination of colors. */
const colorRules: RunOptions = { runOnly: ['color-contrast', 'link-in-text-block'], resultTypes: ['violations'] }
const otherRules: RunOptions = {
  rules: Object.fromEntries([...lesserRules, 'color-contrast', 'link-in-text-block'].map((rule) => [rule, off])),
  resultTypes: ['violations'],
}

/** Combinations of colors without a violation on an earlier page of this process. */
const knownColors = new Set<string>()

/**
 * Returns an element with text for each combination of what contrast depends on: colors of text and backgrounds, size
 * and weight of the font, and whether the element is disabled or hidden. Runs in the page.
 */
function elementsByColor(): Map<string, Element> {
  const grounds = new Map<Element | null, string>([[null, '']])
  const groundOf = (element: Element | null): string => {
    const known = grounds.get(element)
    if (known !== undefined || !element) {
      return known ?? ''
    }
    const { backgroundColor, backgroundImage, opacity, filter, position } = getComputedStyle(element)
    // An element placed freely may lie on something else than its parents, on each kind of page.
    const page = location.pathname.replaceAll(/[\da-f-]{36}/g, '')
    const place = /absolute|fixed|sticky/.test(position) ? `${element.className} ${page}` : ''
    const ground = [groundOf(element.parentElement), backgroundColor, backgroundImage, opacity, filter, place].join()
    grounds.set(element, ground.replaceAll(/,rgba\(0, 0, 0, 0\),none,1,none,(?=,|$)/g, ''))
    return grounds.get(element)!
  }
  const isInView = (element: Element) => {
    const { top, bottom, left, right } = element.getBoundingClientRect()
    return bottom > 0 && right > 0 && top < innerHeight && left < innerWidth
  }
  const found = new Map<string, Element>()
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const elements = new Set<Element>(document.querySelectorAll('input, select, textarea'))
  while (texts.nextNode()) {
    if (texts.currentNode.textContent?.trim()) {
      elements.add(texts.currentNode.parentElement!)
    }
  }
  for (const element of elements) {
    if (!element.checkVisibility({ visibilityProperty: true })) {
      continue
    }
    const { color, fontSize, fontWeight, textShadow, textDecorationLine } = getComputedStyle(element)
    const around = getComputedStyle(element.parentElement ?? element).color
    const isOff = element.closest(':disabled, [aria-disabled="true"]') !== null
    const isOfOff = (element.closest('label')?.control as HTMLInputElement | null | undefined)?.disabled === true
    const isHidden = element.closest('[aria-hidden="true"]') !== null
    const kind = `${element.tagName} ${color} ${fontSize} ${fontWeight} ${textShadow} ${textDecorationLine} ${around}`
    const key = [groundOf(element), kind, isOff, isOfOff, isHidden].join('|')
    const other = found.get(key)
    if (!other || (!isInView(other) && isInView(element))) {
      found.set(key, element)
    }
  }
  return found
}

/** Globals of a page that is checked. */
type Checked = typeof globalThis & { axe: typeof axe; elementsByColor: typeof elementsByColor }

/** Injects axe into each frame without it: reading half a megabyte takes longer than checking some pages. */
async function injectAxe(page: Page) {
  for (const frame of page.frames()) {
    if (!(await frame.evaluate(() => 'elementsByColor' in globalThis))) {
      await frame.evaluate(`${axeSource}; globalThis.elementsByColor = ${elementsByColor.toString()}`)
    }
  }
}

/** Returns the serious and critical violations of rules, on the whole page or on the elements of some colors that it still has. */
const check = (page: Page, options: RunOptions, colors?: readonly string[]) =>
  page.evaluate(
    async ([given, chosen]) => {
      const { axe: injected, elementsByColor: find } = globalThis as Checked
      const found = chosen && find()
      const checked = chosen?.filter((color) => found?.has(color)) ?? []
      const include = checked.map((color) => found!.get(color)!)
      const isEmpty = chosen !== undefined && include.length === 0
      const { violations } = isEmpty ? { violations: [] } : await injected.run(found ? { include } : document, given)
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      return { checked, problems: serious.map(({ id, nodes }) => [id, ...nodes.map(({ target }) => target.join(' '))]) }
    },
    [options, colors] as const,
  )

/**
 * Expects no violation about colors. Looks at new combinations only: most pages share theirs. Returns whether there
 * were any.
 */
async function expectContrast(page: Page, colorScheme: 'dark' | 'light'): Promise<boolean> {
  // Without transitions: their intermediate colors have too little contrast.
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  const colors = await page.evaluate(async () => {
    // Listeners of the page learn of the scheme in its next frame, before this callback.
    await new Promise(requestAnimationFrame)
    return [...(globalThis as Checked).elementsByColor().keys()]
  })
  const fresh = colors.filter((color) => !knownColors.has(color))
  if (fresh.length > 0) {
    const { checked, problems } = await check(page, colorRules, fresh)
    expect(problems, colorScheme).toEqual([])
    checked.forEach((color) => knownColors.add(color))
  }
  return fresh.length > 0
}

/** Expects no serious or critical accessibility violations, in either color scheme. */
export async function expectAccessible(page: Page) {
  await injectAxe(page)
  // Drawing a page in the other scheme costs more than the check, so by day only pages with new combinations are drawn in
  // both. Tokens that are equal in light may differ in dark: at night every page is checked in both.
  const isFresh = await expectContrast(page, 'light')
  if (isFresh || isNight) {
    await expectContrast(page, 'dark')
  }
  await page.emulateMedia({ colorScheme: null })
  // Other rules do not depend on colors, so one run is enough.
  expect((await check(page, otherRules)).problems).toEqual([])
}
