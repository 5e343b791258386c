import type { Page } from '@playwright/test'
import { CommandFleet, finishedBatch } from '../support/command-fleet.ts'
import type { Member } from '../support/server.ts'
import { expect, follow, test } from './support/fixtures.ts'

/** Markup that would run as a script in several places, with a name that shows where it came from. */
const markup = (name: string) =>
  `${name}"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`.slice(0, 100)

const note = [
  `# ${markup('note')}`,
  '[one](javascript:document.title="owned") **[two](vbscript:1)** [three](data:text/html,x)',
  '![picture](https://evil.example/pixel.png) <svg onload=document.title="owned">',
  '```',
  '</code></pre><script>document.title="owned"</script>',
].join('\n')

/** Gives everything that people name a hostile name. */
async function nameAll(owner: Member, deviceId: string) {
  const { tenantId } = owner
  const named = (name: string) => ({ tenantId, body: { name: markup(name), description: markup(name) } })
  const customer = await owner.customers.create(named('customer'))
  await owner.applianceOrganization.setCustomer({
    tenantId,
    params: { customerId: customer.id },
    body: {
      parentId: null,
      contacts: [{ name: markup('contact'), role: '', email: 'javascript:alert(1)', phone: '' }],
    },
  })
  await owner.userGroups.create(named('user-group'))
  await owner.installerKeys.create({ body: { tenantId, keyType: 'Persistent', friendlyName: markup('key') } })
  await owner.tenantServiceAccounts.create({ params: { tenantId }, body: { name: markup('service-account') } })
  await owner.applianceDeviceNotes.add({ params: { deviceId }, body: { text: note } })
  await owner.applianceDeviceViews.create({ body: { name: markup('view'), query: '', sort: 'name', isShared: true } })
  await owner.serverAlert.set({
    body: { message: markup('banner'), severity: 2, isDismissable: true, isSticky: false, isEnabled: true },
  })
}

/** Expects a text on the page, as text. */
async function expectText(page: Page, name: string) {
  await expect(page.getByText(`${name}"><img src=x`).first()).toBeVisible()
  await expect(page).not.toHaveTitle('owned')
  expect(await page.locator('img[src="x"], img[src^="https:"], svg[onload], a[href^="javascript:"]').count()).toBe(0)
}

test(
  'texts of hostile people, and of commands on many devices, are text on every page',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const fleet = await CommandFleet.start(owner, 1)
    fleet.end = { output: markup('output'), errorOutput: markup('errors') }
    const deviceIds = fleet.ids
    await nameAll(owner, deviceIds[0]!)
    const batch = await owner.applianceBatches.start({
      body: { kind: 'run-command', deviceIds, command: markup('command') },
    })
    await finishedBatch(owner, batch.id)
    await page.goto(`${server.url}/devices`)
    await expectText(page, 'view')
    await follow(page, `/devices/${deviceIds[0]}`)
    await expectText(page, 'note')
    for (const [path, title, name] of [
      ['/people', 'People', 'banner'],
      ['/user-groups', 'Groups of people', 'user-group'],
      ['/rights/changes', 'Roles and rights', 'service-account'],
      ['/organize/customers', 'Organize', 'customer'],
      ['/deploy', 'Deploy', 'key'],
      ['/service-accounts', 'Service accounts', 'service-account'],
      ['/audit', 'Audit log', 'user-group'],
      ['/batches', 'Bulk jobs', 'command'],
    ] as const) {
      await follow(page, path)
      await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible()
      await expectText(page, name)
    }
    await follow(page, `/batches/${batch.id}`)
    await expectText(page, 'output')
    await page.locator('[data-row="0"]').click()
    await expectText(page, 'errors')
    fleet.stop()
  },
)
