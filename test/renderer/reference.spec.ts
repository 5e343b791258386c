import { expect, freshPageTest as test } from './support/fixtures.ts'

test.use({ serverOptions: { settings: { AppOptions__EnableReferenceUi: 'true' } } })

test(
  'the reference page lists the operations of each document and contacts no other host',
  { tag: '@night' },
  async ({ page, server }) => {
    const elsewhere: string[] = []
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(server.url)) {
        elsewhere.push(request.url())
      }
    })
    await page.goto(`${server.url}/reference`)
    const operations = page.locator('.opblock-summary')
    await expect(page.getByRole('heading', { name: /^Farhand/ })).toBeVisible()
    // Groups are collapsed, so each is opened with a click.
    await expect(page.locator('.opblock-tag')).toHaveCount(32)
    await page.locator('.opblock-tag', { hasText: /^Tags/ }).click()
    await expect(operations).toHaveCount(5)
    await operations.first().click()
    await expect(page.getByText('Any signed-in principal may call this.').first()).toBeVisible()

    await page.locator('.download-url-wrapper select').selectOption('internal')
    await expect(page.getByRole('heading', { name: /deprecated interface/ })).toBeVisible()
    await expect(page.locator('.opblock-deprecated')).toHaveCount(4)
    expect(elsewhere).toEqual([])
  },
)

test('a request can be sent from the reference page', { tag: '@night' }, async ({ page, server }) => {
  await page.goto(`${server.url}/reference#/Version/VersionServer`)
  await page.getByRole('button', { name: 'Try it out' }).click()
  await page.getByRole('button', { name: 'Execute' }).click()
  await expect(page.locator('.live-responses-table td.response-col_status').last()).toHaveText('200')
  await expect(page.locator('.live-responses-table')).toContainText(/\d+\.\d+\.\d+\.\d+/)
})
