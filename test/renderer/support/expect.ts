import { expect as base, type Locator, type Page } from '@playwright/test'

interface Options {
  timeout?: number
}

/** State that Playwright passes to a matcher. */
interface Expecting {
  isNot: boolean
  timeout: number
}

/**
 * Waits, then lets Playwright's own matcher decide. Playwright describes the whole page ten times a second while a matcher finds no
 * element, which took an eighth of the processor time of pages.
 */
async function decide(
  { isNot, timeout }: Expecting,
  options: Options | undefined,
  wait: (limit: Options) => Promise<unknown>,
  check: (limit: Options) => Promise<void>,
) {
  const limit = { timeout, ...options }
  if (!isNot) {
    // On failure the matcher reports the reason.
    await wait(limit).catch(() => {})
  }
  try {
    await check(limit)
    return { pass: !isNot, message: () => '' }
  } catch (error) {
    return { pass: isNot, message: () => (error as Error).message }
  }
}

type Text = string | RegExp | readonly (string | RegExp)[]

const withText = (locator: Locator, text: Text) =>
  typeof text === 'string' || text instanceof RegExp ? locator.filter({ hasText: text }) : locator.first()

const attached = (locator: Locator) => (limit: Options) => locator.waitFor({ ...limit, state: 'attached' })

export const expect = base.extend({
  toBeVisible(this: Expecting, locator: Locator, options?: Options) {
    const is = this.isNot ? base(locator).not : base(locator)
    return decide(
      this,
      options,
      (limit) => locator.waitFor(limit),
      (limit) => is.toBeVisible(limit),
    )
  },
  toBeFocused(this: Expecting, locator: Locator, options?: Options) {
    const is = this.isNot ? base(locator).not : base(locator)
    return decide(this, options, attached(locator), (limit) => is.toBeFocused(limit))
  },
  toContainText(this: Expecting, locator: Locator, text: Text, options?: Options) {
    const is = this.isNot ? base(locator).not : base(locator)
    return decide(this, options, attached(withText(locator, text)), (limit) => is.toContainText(text, limit))
  },
  toHaveText(this: Expecting, locator: Locator, text: Text, options?: Options) {
    const is = this.isNot ? base(locator).not : base(locator)
    return decide(this, options, attached(withText(locator, text)), (limit) => is.toHaveText(text, limit))
  },
  toHaveURL(this: Expecting, page: Page, url: string | RegExp, options?: Options) {
    const is = this.isNot ? base(page).not : base(page)
    const isAt = ({ href }: URL) => (typeof url === 'string' ? href === url : url.test(href))
    return decide(
      this,
      options,
      (limit) => page.waitForURL(isAt, { ...limit, waitUntil: 'commit' }),
      (limit) => is.toHaveURL(url, limit),
    )
  },
})
