import { buildUser } from '../support/factories.ts'
import { test } from './support/fixtures.ts'
test('pictures', async ({ page, server, owner, enroll }) => {
  const { tenantId } = owner
  const customer = await owner.customers.create({ tenantId, body: { name: 'Contoso Manufacturing and Logistics of the North Sea Region GmbH & Co. KG' } })
  const tag = await owner.tags.create({ tenantId, body: { name: 'reception-desk-of-the-second-floor' } })
  await owner.applianceDeployments.create({ body: { tenantId, keyType: 'Persistent', friendlyName: 'Roll-out of the branch office in Wilhelmshaven', placement: { customerId: customer.id, deviceGroupIds: [], tagIds: [tag.id] } } } as never)
  await server.whileStopped((database, models) => database.write(async (transaction) => {
    const people = Array.from({ length: 1000 }, (_, index) => { const email = `person-${index}-with-a-very-long-name-of-the-night-shift@example-company.org`; return buildUser({ tenantId, email, userName: email, createdAt: index }) })
    await models.User.bulkCreate(people, { transaction })
    await models.PermissionAssignment.bulkCreate(people.map(({ id }, index) => ({ id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`, owningTenantId: tenantId, principalKind: 'User' as const, principalId: id, permissionName: 'device.read' as const, effect: index % 9 ? 'Allow' as const : 'Deny' as const, scopeKind: 'CustomerTenant' as const, scopeId: customer.id, notes: null, isEnabled: index % 7 > 0, createdAt: index, madeWith: null })), { transaction })
  }))
  const person = (await owner.appliancePeople.list({ tenantId, query: { text: 'person-5-' } })).items[0]!
  await enroll(2)
  for (const [width, height] of [[1440, 900], [1024, 700], [720, 900], [390, 800]] as const) {
    await page.setViewportSize({ width, height })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const [name, path] of Object.entries({ rights: 'rights', give: `rights?principal=${person.id}&kind=User&give=Technician`, person: `people?open=${person.id}`, customer: `organize/customers?open=${customer.id}`, deploy: 'deploy' })) {
        await page.goto(`${server.url}/${path}`)
        await page.waitForTimeout(900)
        if (name === 'rights') { await page.getByRole('grid').focus(); await page.keyboard.press('Control+a'); await page.waitForTimeout(200) }
        if (name === 'deploy') await page.mouse.wheel(0, 3000)
        await page.screenshot({ path: `/tmp/pics/${name}-${width}-${colorScheme}.png` })
      }
    }
  }
})
