import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { account } from '../support/server.ts'
import { expect, freshPageTest as test } from './support/fixtures.ts'

async function signIn(page: Page) {
  await page.getByLabel('Email').fill(account.email)
  await page.getByLabel('Password', { exact: true }).fill(account.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const live = (page: Page) => page.getByText('Live', { exact: true })

test(
  "a program on another port of the host receives the page's cookie and gains no access with it",
  { tag: '@night' },
  async ({ page, context, server }) => {
    await server.owner()
    await page.goto(`${server.url}/devices`)
    await signIn(page)
    await expect(live(page)).toBeVisible()

    let stolen = ''
    const listener = createServer((request, response) => {
      stolen ||= request.headers.cookie ?? ''
      response.setHeader('content-type', 'text/html').end('<title>Other</title>')
    })
    await once(listener.listen(0, '127.0.0.1'), 'listening')
    const other = await context.newPage()
    await other.goto(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/`)
    listener.close()
    expect(stolen).toContain('.Farhand.Identity')
    const replayed = await fetch(`${server.url}/api/auth/me`, { headers: { cookie: stolen, origin: server.url } })
    expect(replayed.status).toBe(401)

    // Other tabs, and the page after a reload, stay signed in.
    await other.goto(`${server.url}/devices`)
    await expect(live(other)).toBeVisible()
    await page.reload()
    await expect(live(page)).toBeVisible()
    await page.getByRole('button', { name: /Account menu/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await expect(page).toHaveURL(/\/sign-in$/)
  },
)

test('a cookie without the key of this page, planted or from before an update, leads to the sign-in page', async ({
  page,
  context,
  server,
}) => {
  const { cookie = '' } = await server.owner()
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url: server.url, httpOnly: true, sameSite: 'Lax' }])
  await page.goto(`${server.url}/devices`)
  await expect(page).toHaveURL(/\/sign-in/)
  await signIn(page)
  await expect(page).toHaveURL(`${server.url}/devices`)
  await expect(live(page)).toBeVisible()
})
