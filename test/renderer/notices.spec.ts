import { addMember } from '../support/people.ts'
import { signInTo } from '../support/server.ts'
import { expect, expectAccessible, test, usePage } from './support/fixtures.ts'

test(
  "after the sign-in, a banner lists what others did on the person's behalf until it is dismissed",
  { tag: '@night' },
  async ({ page, server }) => {
    const owner = await server.owner()
    const colleague = await addMember(server, owner.tenantId, ['device.read'])
    await owner.userPersonalAccessTokens.create({
      tenantId: owner.tenantId,
      params: { userId: colleague.user.id },
      body: { name: '<b>Inventory</b>' },
    })
    const member = await signInTo(server.url, { email: colleague.user.email })
    await usePage(page.context(), member)

    await page.goto(`${server.url}/devices`)
    const banner = page.getByRole('region', { name: 'Changes to your account' })
    await expect(banner).toContainText(`${owner.user.email} created the access token “<b>Inventory</b>” for you`)
    await expectAccessible(page)
    for (const width of [1440, 1024, 720, 390]) {
      await page.setViewportSize({ width, height: 800 })
      await expect(banner.getByRole('button', { name: 'Got it' })).toBeInViewport({ ratio: 1 })
    }
    for (const name of ['two', 'three', 'four']) {
      await owner.userPersonalAccessTokens.create({
        tenantId: owner.tenantId,
        params: { userId: colleague.user.id },
        body: { name },
      })
    }
    await page.reload()
    await expect(banner.getByRole('listitem')).toHaveText([/“four”/, 'Show 3 more'])
    await banner.getByRole('button', { name: 'Show 3 more' }).press('Enter')
    await expect(banner.getByRole('listitem')).toHaveCount(4)
    await banner.getByRole('button', { name: 'Got it' }).click()
    await expect(banner).toHaveCount(0)
    await expect(page.locator('#page')).toBeFocused()
    await page.reload()
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(banner).toHaveCount(0)
  },
)
