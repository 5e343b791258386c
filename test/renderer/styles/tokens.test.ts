import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { rowHeights } from '../../../renderer/styles/preferences.ts'

const css = readFileSync(`${import.meta.dirname}/../../../renderer/styles/tokens.css`, 'utf8')

/** Colors of one scheme, as [name, value]. */
function colorsOf(scheme: 'light' | 'dark') {
  const block = new RegExp(`data-mantine-color-scheme='${scheme}'\\] \\{([^}]+)\\}`).exec(css)![1]!
  return new Map([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name!, value!]))
}

/** Contrast ratio of WCAG 2. */
function contrast(one: string, other: string) {
  const luminance = (color: string) => {
    const [red, green, blue] = [1, 3, 5].map((start) => {
      const part = Number.parseInt(color.slice(start, start + 2), 16) / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
  }
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light! + 0.05) / (dark! + 0.05)
}

const surfaces = ['surface', 'surface-sunken', 'surface-raised', 'surface-hover', 'surface-selected']
const terminalColors = ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'].flatMap((color) => [
  color,
  `bright-${color}`,
])

/** Text colors with all their possible backgrounds. */
const texts: [text: string, backgrounds: string[]][] = [
  ['text', [...surfaces, 'online-soft', 'warning-soft', 'danger-soft']],
  ['text-muted', [...surfaces, 'online-soft']],
  ['accent', surfaces],
  ['online', [...surfaces, 'online-soft']],
  ['warning', ['surface', 'surface-sunken', 'warning-soft']],
  ['danger', ['surface', 'surface-raised', 'surface-hover', 'danger-soft']],
  ['on-accent', ['accent-filled', 'accent-filled-hover', 'danger-filled', 'danger-filled-hover']],
  ['terminal-foreground', ['terminal-background', 'terminal-selection']],
  ...terminalColors.map((color): [string, string[]] => [`terminal-${color}`, ['terminal-background']]),
]

/** Marks that carry meaning need 3:1. */
const marks = [
  'online-mark',
  'offline-mark',
  'border-strong',
  'meter',
  'line-1',
  'line-2',
  'line-3',
  'line-4',
  'terminal-cursor',
]

describe.each(['light', 'dark'] as const)('the %s colors', (scheme) => {
  const colors = colorsOf(scheme)
  const of = (name: string) => {
    const color = colors.get(name)
    if (!color) {
      throw new Error(`no token --${name}`)
    }
    return color
  }

  test.each(texts.flatMap(([text, backgrounds]) => backgrounds.map((background) => [text, background] as const)))(
    '%s can be read on %s',
    (text, background) => expect(contrast(of(text), of(background))).toBeGreaterThanOrEqual(4.5),
  )

  test.each(marks)('%s can be seen', (mark) => expect(contrast(of(mark), of('surface'))).toBeGreaterThanOrEqual(3))
})

test('both schemes have the same tokens', () => {
  expect([...colorsOf('dark').keys()]).toEqual([...colorsOf('light').keys()])
})

test.each(Object.entries(rowHeights))('rows of %s lists are drawn as high as they are placed', (density, height) => {
  const block = new RegExp(`data-density='${density}'\\] \\{([^}]+)\\}`).exec(css)![1]
  expect(block).toContain(`--row-height: ${height}px;`)
})
