import { installerKey, TestAgent, type AgentConnection } from '../support/agent.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test('two machines with one identity are shown, and one of them is chosen', async ({ page, server, owner }) => {
  const device = new TestAgent(owner.tenantId)
  await device.register(owner, await installerKey(owner))
  for (const name of ['office', 'copy-of-office']) {
    const report = () => machine.UpdateDeviceSigned(device.signed(device.report({ name })))
    const handlers = { RefreshDeviceInfo: () => void report().catch(() => undefined) }
    const machine: AgentConnection = await device.open(server.url, handlers, { isShared: true })
    await report()
  }
  await page.goto(`${server.url}/devices/${device.id}`)
  await expect(page.getByRole('heading', { name: 'Two machines use the identity of this device' })).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await page
    .getByRole('listitem')
    .filter({ hasText: 'copy-of-office' })
    .getByRole('button', { name: 'This one stays' })
    .click()
  await expect(page.getByText('The machine that stays reconnects within a minute.')).toBeVisible()
})
