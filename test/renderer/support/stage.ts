import { expect, test as base, watchConsole } from './fixtures.ts'

/**
 * Server, first user and page, which the tests of a process share. Each test has devices of its own, and opens them by
 * address. A new browser context would compile all code of the page again, which is a third of a short test.
 */
export const test = base.extend({
  server: ({ stage }, use) => use(stage.server),
  owner: ({ stage }, use) => use(stage.owner),
  context: ({ stage }, use) => use(stage.page.context()),
  page: async ({ stage: { page } }, use) => {
    const size = page.viewportSize()!
    const watch = watchConsole(page)
    await use(page)
    watch.stop()
    // Ends what the test left open, as closing the page would.
    await page.goto('about:blank')
    await page.unrouteAll()
    await page.context().clearPermissions()
    await page.setViewportSize(size)
    expect(watch.complaints).toEqual([])
  },
})
