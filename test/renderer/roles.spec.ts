import { permissionTexts } from '../../shared/permission-texts.ts'
import type { PermissionName } from '../../shared/access.ts'
import { addUser } from '../support/people.ts'
import type { Member } from '../support/server.ts'
import { expect, expectAccessible, follow, test, usePage } from './support/fixtures.ts'

const everywhere = ['Home', 'Alerts', 'Devices', 'Sessions', 'Bulk jobs', 'Organize']

/** Pages that a role lacks, with the right that the page then names. */
const guarded: Record<string, { title: string; right: PermissionName }> = {
  deploy: { title: 'Deploy', right: 'installer-key.write' },
  people: { title: 'People', right: 'tenant.users.read' },
  'user-groups': { title: 'Groups of people', right: 'tenant.user-groups.read' },
  rights: { title: 'Roles and rights', right: 'tenant.permissions.read' },
  'rights/changes': { title: 'Roles and rights', right: 'tenant.authorization-logs.read' },
  'rights/shares': { title: 'Roles and rights', right: 'device.logon-token.create' },
  recordings: { title: 'Recordings', right: 'appliance.recordings.read' },
  settings: { title: 'Settings', right: 'tenant.settings.read' },
  'settings/recording': { title: 'Recording', right: 'tenant.settings.write' },
  network: { title: 'Network', right: 'server.settings.write' },
  'service-accounts': { title: 'Service accounts', right: 'service-account.read' },
  server: { title: 'Server', right: 'server.telemetry.read' },
  backup: { title: 'Backup', right: 'server.telemetry.read' },
  'health-report': { title: 'Health', right: 'server.telemetry.read' },
  audit: { title: 'Audit log', right: 'appliance.audit.read' },
  tenants: { title: 'Organizations', right: 'server.tenants.read' },
}

const viewing = ['Refresh', 'Open in new tab']
const power = ['Shut down', 'Lock', 'Sign everybody out', 'Sleep', 'Restart into firmware']
const repairing = [...power, ...viewing, 'Update agent', 'Change alias']

/** Navigation, buttons at the head of a device and entries of its menu by role; undefined where no device is seen. */
const roles = {
  owner: {
    navigation: [
      ...everywhere,
      'Deploy',
      'People',
      'Groups of people',
      'Roles and rights',
      'Recordings',
      'Settings',
      'Network',
      'Service accounts',
      'Server',
      'Backup',
      'Health',
      'Audit log',
    ],
    device: {
      buttons: ['Remote control', 'Terminal', 'Files', 'Chat', 'Restart'],
      menu: [...repairing, 'Share', 'Who may use it', 'Uninstall agent', 'Delete'],
    },
  },
  Technician: {
    navigation: everywhere,
    device: { buttons: ['Remote control', 'Terminal', 'Files', 'Chat', 'Restart'], menu: repairing },
  },
  Helper: { navigation: everywhere, device: { buttons: ['Remote control', 'Chat'], menu: viewing } },
  nobody: { navigation: everywhere, device: undefined },
}

test('pages, actions of a device and named rights follow the role', async ({
  page,
  server,
  owner,
  enroll,
  context,
}) => {
  const { tenantId } = owner
  const [agent] = await enroll(1)
  await agent!.connect(server.url)
  const withRole = async (role: 'Technician' | 'Helper') => {
    const member = await addUser(server, owner)
    const principals = [{ principalKind: 'User' as const, principalId: member.user.id }]
    await owner.applianceRights.grant({ tenantId, body: { principals, role, scopes: [{ scopeKind: 'Tenant' }] } })
    return member
  }
  const people: Record<keyof typeof roles, Member> = {
    owner,
    Technician: await withRole('Technician'),
    Helper: await withRole('Helper'),
    nobody: await addUser(server, owner),
  }
  for (const [name, { navigation, device }] of Object.entries(roles)) {
    await usePage(context, people[name as keyof typeof roles])
    await page.goto(`${server.url}/devices`)
    const entries = page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link')
    await expect(entries, name).toHaveText(navigation)
    if (device) {
      await page.locator('[data-index="0"]').click()
      await page.keyboard.press('Enter')
      const head = page.getByRole('group', { name: 'Actions' })
      await expect(head.locator('a, button'), name).toHaveText([...device.buttons, 'More'])
      await page.getByRole('button', { name: 'More' }).click()
      await expect(page.getByRole('menuitem').first()).toBeVisible()
      const menu = (await page.getByRole('menuitem').allInnerTexts()).map((text) => text.split('\n')[0] ?? '')
      expect(menu.filter((text) => text !== 'Wake').toSorted(), name).toEqual(device.menu.toSorted())
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: 'Home', exact: true }).click()
      await expect(page.getByRole('region', { name: 'The fleet' }), name).toContainText('1 of 1')
      // Only the owner reads that the server makes no backups.
      await expect(page.getByRole('region', { name: 'Needs a hand' }), name).toHaveCount(name === 'owner' ? 1 : 0)
    } else {
      await expect(page.getByRole('heading', { name: 'You have no rights on a device yet' })).toBeVisible()
      await expectAccessible(page)
      await follow(page, `/devices/${agent!.id}`)
      await expect(page.getByRole('heading', { name: 'Device not found' })).toBeVisible()
    }
  }
  // The last of them may open none of these.
  for (const [path, { title, right }] of Object.entries(guarded)) {
    await follow(page, `/${path}`)
    await expect(page.getByRole('main').getByRole('heading', { name: title })).toHaveCount(1)
    await expect(page.getByText('To open this page you need the right'), path).toContainText(
      `“${permissionTexts[right].displayName}”`,
    )
    await expect(page.getByRole('main').getByRole('button'), path).toHaveCount(0)
  }
  await expectAccessible(page)
})
