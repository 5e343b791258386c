import { freshPageTest, shareContext, sharePage } from './fixtures.ts'

/** Server, first user and page, which the tests of a process share. Each test has devices of its own, and opens them by address. */
export const test = freshPageTest.extend({
  server: ({ stage }, use) => use(stage.server),
  owner: ({ stage }, use) => use(stage.owner),
  context: ({ stage }, use) => shareContext(stage.page, use),
  page: ({ stage, context: _ }, use) => sharePage(stage.page, use),
})
