import { expect, test } from 'vitest'
import { failure } from '../../../shared/dtos/hub-result.ts'
import { makeTicket } from '../../../tools/simulate/relay-ticket.ts'
import { fromDevice } from '../../support/recorded-session.ts'
import { recordingAgent } from '../../support/recording-agent.ts'
import { useTestServer } from '../../support/server.ts'
import { callerOf, requestSession, startSession } from '../../support/session.ts'
import { until } from '../../support/until.ts'

test('a full disk records nothing, leaves sessions alone, and admits none that must be recorded', async () => {
  const full = await useTestServer({ settings: { AppOptions__MinFreeDiskSpace: String(2 ** 50) } })
  const ada = await full.owner()
  const device = await recordingAgent(ada)
  const by = await callerOf(ada)
  const { viewerEnd, deviceEnd, ticket } = await startSession(by, device)
  const start = ada.applianceSessionRecordings.start({ params: { sessionId: ticket.sessionId } })
  await expect(start).rejects.toThrow('The disk of the server is full')
  deviceEnd.socket.send(fromDevice.displays())
  await until(() => viewerEnd.messages.length === 1)
  await ada.applianceRecordings.replacePolicies({
    tenantId: ada.tenantId,
    body: {
      items: [{ customerId: null, tagId: null, mode: 'always', retentionDays: null, quotaMegabytes: null }],
    },
  })
  expect(await requestSession(by, device.id, makeTicket(full.url))).toEqual(
    failure('A policy requires that this session is recorded, and the disk of the server is full.'),
  )
})
