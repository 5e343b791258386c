import { freshPageTest, sharePage } from './fixtures.ts'

/** Server, first user and page, which the tests of a process share. Each test has devices of its own, and opens them by address. */
export const test = freshPageTest.extend({
  server: ({ stage }, use) => use(stage.server),
  owner: ({ stage }, use) => use(stage.owner),
  context: ({ stage }, use) => use(stage.page.context()),
  page: ({ stage }, use) => sharePage(stage.page, use),
})
