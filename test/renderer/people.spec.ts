import type { Page } from '@playwright/test'
import { buildUser } from '../support/factories.ts'
import { addUser } from '../support/people.ts'
import { expect, expectAccessible, expectFew, follow, test, usePage } from './support/fixtures.ts'

const rows = (page: Page) => page.getByRole('grid').locator('[data-index]')
const pane = (page: Page) => page.getByRole('complementary')
const dialog = (page: Page) => page.getByRole('dialog')

async function signIn(page: Page, email: string, password: string) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

test('a technician is created with a role, put into a group, disabled and deleted', async ({ page, server, owner }) => {
  const email = 'grace.hopper@example.org'
  await page.goto(server.url)
  await page.getByRole('link', { name: 'People', exact: true }).click()
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText('Server administrator')

  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(dialog(page).getByLabel('Email')).toBeFocused()
  await page.keyboard.type(email)
  await dialog(page).getByRole('combobox', { name: 'Roles' }).click()
  await page.getByRole('option', { name: 'Device superuser' }).click()
  await page.keyboard.press('Escape')
  await expectAccessible(page)
  await dialog(page).getByRole('button', { name: 'Create account' }).click()
  await expect(dialog(page).getByLabel('Temporary password')).toHaveText(/^\w{8}$/)
  await dialog(page).getByRole('button', { name: 'Copy password' }).click()
  await dialog(page).getByRole('button', { name: 'Done' }).click()
  await expect(pane(page).getByRole('heading', { name: email })).toBeVisible()
  await expect(pane(page).getByRole('list', { name: 'Rights' })).toContainText(
    'Device superuser in the whole organization',
  )
  await expectAccessible(page)

  const { tenantId } = owner
  const group = await owner.userGroups.create({ tenantId, body: { name: 'Night shift' } })
  const userId = (await owner.appliancePeople.list({ tenantId, query: { text: 'hopper' } })).items[0]!.id
  await owner.userGroups.addMembers({ tenantId, params: { userGroupId: group.id }, body: { userIds: [userId] } })
  await page.getByRole('link', { name: 'Devices', exact: true }).click()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('hopper')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: new RegExp(email) })
    .click()
  await expect(pane(page).getByRole('link', { name: 'Night shift' })).toBeVisible()
  // The pane shows the change before the list, and the toast comes after both.
  const list = Promise.withResolvers<void>()
  await page.route('**/api/appliance/v1/people?*', (route) => list.promise.then(() => route.continue()))
  await pane(page).getByRole('button', { name: 'Disable' }).click()
  await expect(pane(page)).toContainText('Disabled since')
  list.resolve()
  await expect(page.getByText(`${email} is disabled: open sign-ins and sessions have ended.`)).toBeVisible()
  await expect(rows(page).filter({ hasText: email })).toContainText('Disabled')

  await pane(page).getByRole('button', { name: 'Delete' }).click()
  await expect(dialog(page)).toContainText('1 group membership')
  await expect(dialog(page).getByRole('button', { name: 'Delete account' })).toBeDisabled()
  await dialog(page).getByLabel(`Type ${email} to confirm`).fill(email)
  await dialog(page).getByRole('button', { name: 'Delete account' }).click()
  await expect(pane(page)).toBeHidden()
  await expect(rows(page)).toHaveCount(1)
})

test(
  'a disabled person is refused until the change is undone; an invitation is withdrawn',
  { tag: '@night' },
  async ({ page, server, owner, browser }) => {
    const { id: userId, email } = (await addUser(server, owner)).user
    const { temporaryPassword } = await owner.users.resetPassword({ tenantId: owner.tenantId, params: { userId } })
    await page.goto(`${server.url}/people?open=${userId}`)
    await pane(page).getByRole('button', { name: 'Disable' }).click()
    const other = await (await browser.newContext()).newPage()
    await other.goto(`${server.url}/sign-in`)
    await signIn(other, email, temporaryPassword)
    await expect(other.getByText('Account disabled')).toBeVisible()
    const toast = page.getByRole('alert').filter({ hasText: 'is disabled' })
    await toast.getByRole('button', { name: 'Undo' }).click()
    await expect(pane(page).getByRole('button', { name: 'Disable' })).toBeVisible()
    await signIn(other, email, temporaryPassword)
    await expect(other.getByText('Your password was set by an administrator.', { exact: false })).toBeVisible()
    await other.close()

    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await expect(dialog(page).getByLabel('Email')).toBeFocused()
    await page.keyboard.type('ada.l@example.org')
    await page.keyboard.press('Enter')
    await expect(dialog(page).getByLabel('Link of the invitation')).toContainText('/invite-confirmation/')
    await dialog(page).getByRole('button', { name: 'Copy link' }).click()
    await dialog(page).getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: /^Invited/ }).click()
    await expect(rows(page)).toHaveCount(1)
    await rows(page).click()
    await pane(page).getByRole('button', { name: 'Withdraw invitation' }).click()
    await dialog(page).getByRole('button', { name: 'Withdraw invitation' }).click()
    await expect(page.getByRole('heading', { name: 'Nothing matches' })).toBeVisible()
    expect((await owner.invites.list({ tenantId: owner.tenantId })).items).toEqual([])
  },
)

test(
  'tokens and sign-ins of a person are ended, a helper sees no buttons, and a user without rights no people',
  { tag: '@night' },
  async ({ page, server, owner, context }) => {
    const { tenantId } = owner
    const member = await addUser(server, owner, ['Tenant Administrator'])
    await member.personalAccessTokens.create({ tenantId, body: { name: 'Nightly export' } })
    const nobody = await addUser(server, owner)
    await owner.permissionAssignments.create({
      tenantId,
      body: {
        permissionName: 'tenant.users.read',
        scopeKind: 'Tenant',
        principalKind: 'User',
        principalId: nobody.user.id,
      },
    })
    await page.goto(`${server.url}/people?open=${member.user.id}`)
    const tokens = pane(page).getByRole('region', { name: 'Access tokens' })
    await tokens.getByRole('button', { name: 'Revoke Nightly export' }).click()
    await dialog(page).getByRole('button', { name: 'Revoke' }).click()
    await expect(tokens).toContainText('No access tokens.')
    const signIns = pane(page).getByRole('region', { name: 'Signed in' })
    await signIns.getByRole('button', { name: /^End / }).click()
    await expect(signIns).toContainText('Not signed in anywhere.')
    await pane(page).getByRole('button', { name: 'Reset password' }).click()
    await dialog(page).getByRole('button', { name: 'Reset password' }).click()
    await expect(dialog(page).getByLabel('Temporary password')).toHaveText(/^\w{8}$/)

    await usePage(context, nobody)
    await page.goto(`${server.url}/people`)
    await expect(page.getByText('To change people you need the right “Manage people”.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Invite', exact: true })).toBeHidden()
    await rows(page).first().click()
    await expect(pane(page).getByText('To see rights you need the right', { exact: false })).toBeVisible()
    await expect(pane(page).getByRole('button', { name: /Reset|Disable|Delete/ })).toHaveCount(0)
    await follow(page, '/user-groups')
    await expect(page.getByRole('heading', { name: 'Groups of people' })).toBeVisible()
    await expectAccessible(page)
  },
)

test(
  '1,000 people and 200 groups appear at once, are searched, selected and walked through by keyboard',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const { tenantId } = owner
    await server.whileStopped((database, models) =>
      database.write(async (transaction) => {
        const people = Array.from({ length: 1_000 }, (_, index) => {
          const email = `person-${String(index).padStart(4, '0')}-of-a-long-name@example.org`
          return buildUser({ tenantId, email, userName: email, createdAt: index })
        })
        const groups = Array.from({ length: 200 }, (_, index) => ({
          id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
          tenantId,
          name: `Group ${String(index).padStart(3, '0')}`,
          description: null,
          createdAt: index,
        }))
        await models.User.bulkCreate(people, { transaction })
        await models.UserGroup.bulkCreate(groups, { transaction })
      }),
    )
    await page.goto(`${server.url}/devices`)
    await page.getByRole('link', { name: 'People', exact: true }).click()
    await expect(page.getByText('1,001 people')).toBeVisible()
    await expectFew(rows(page), 100)
    await page.keyboard.press('End')
    await page.keyboard.press('End')
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(pane(page).getByRole('heading', { name: 'person-0000-of' })).toBeVisible()
    await page.keyboard.press('ArrowDown')
    await expect(pane(page).getByRole('heading', { name: 'person-0001-of' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(pane(page)).toBeHidden()
    await page.keyboard.press('/')
    await page.keyboard.type('person-099')
    await expect(page.getByText('10 people')).toBeVisible()
    await expect(page).toHaveURL(/q=person-099$/)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Control+a')
    const bar = page.getByRole('toolbar', { name: '10 rows selected' })
    await bar.getByRole('button', { name: 'Disable' }).click()
    await expect(page.getByText('10 people disabled.')).toBeVisible()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(rows(page).filter({ hasText: 'Disabled' })).toHaveCount(0)
    await page.getByRole('link', { name: 'Groups of people' }).click()
    await expect(page.getByText('200 groups')).toBeVisible()
    await expectFew(rows(page), 100)
  },
)
