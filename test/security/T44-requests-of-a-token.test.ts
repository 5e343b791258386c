import { expect, test } from 'vitest'
import { manualClock } from '../support/clock.ts'
import { recordingAgent } from '../support/recording-agent.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { makeRestrictedToken } from '../support/restricted-token.ts'
import { statusesOf } from '../support/statuses.ts'
import { until } from '../support/until.ts'

const clock = manualClock(Date.now())
const server = serverForFile({ clock })
const owner = ownerForFile(server)

test('T44: requests of a token to a device that does not answer do not keep its owner from deleting the token', async () => {
  const agent = await recordingAgent(owner)
  const answer = Promise.withResolvers<unknown>()
  agent.answers['GetLogFiles'] = () => answer.promise
  const { client, remove } = await makeRestrictedToken(owner, ['device.read', 'device.logs.read'])
  const ask = () => client.deviceFileSystem.logs({ tenantId: owner.tenantId, params: { deviceId: agent.id } })
  const statuses = statusesOf(Array.from({ length: 200 }, ask))
  const asked = () => agent.told.filter(([method]) => method === 'GetLogFiles').length
  await until(() => asked() === 32)
  clock.advance(1_000)
  await until(() => asked() === 64)
  clock.advance(1_000)
  await until(() => asked() === 96)
  await remove()
  answer.reject(new Error('The device failed.'))
  expect((await statuses).filter((status) => status === 401).length).toBeGreaterThan(100)
})
