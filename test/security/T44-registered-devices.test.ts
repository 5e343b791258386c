import { expect, test } from 'vitest'
import { rowLimits } from '../../shared/row-limits.ts'
import { installerKey, TestAgent } from '../support/agent.ts'
import { copyRow } from '../support/copied-rows.ts'
import { useTestServer } from '../support/server.ts'
import { statusesOf, statusOf } from '../support/statuses.ts'

test('T44: whoever reads an installer key on a device registers no more devices than an organization may have', async () => {
  const server = await useTestServer({ settings: { AppOptions__AllowAgentsToSelfBootstrap: 'true' } })
  const owner = await server.owner()
  const key = await installerKey(owner)
  const first = new TestAgent(owner.tenantId)
  await first.register(owner, key)
  await copyRow(server, 'Device', { copies: rowLimits.devices - 2 })

  const registrations = [0, 1, 2].map(() => new TestAgent(owner.tenantId).register(owner, key))
  expect((await statusesOf(registrations)).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
  expect(await statusOf(first.register(owner, key))).toBe(200)

  const uninvited = new TestAgent(owner.tenantId)
  const connection = await uninvited.open(server.url)
  const { reason } = await connection.UpdateDeviceSigned(uninvited.signed(uninvited.report()))
  expect(reason).toMatch(/^The limit is 100,000 devices\./)
  await owner.devices.delete({ params: { deviceId: first.id } })
  expect(await statusOf(uninvited.register(owner, key))).toBe(200)
})
