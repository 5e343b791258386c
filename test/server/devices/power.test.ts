import { beforeAll, beforeEach, expect, test } from 'vitest'
import { failureOf, success } from '../../../shared/dtos/hub-result.ts'
import { powerChangeType, type PowerVariant } from '../../../shared/dtos/power-change.ts'
import { addMember } from '../../support/people.ts'
import { recordingAgent, type RecordingAgent } from '../../support/recording-agent.ts'
import { account, serverForFile, type Member } from '../../support/server.ts'

const server = serverForFile()
let owner: Member
let reader: Member
let agent: RecordingAgent
beforeAll(async () => {
  const { tenantId } = await server.owner()
  reader = await addMember(server, tenantId, ['device.read'])
  owner = await server.signIn(account)
  agent = await recordingAgent(owner, { isShared: true })
})
beforeEach(() => agent.reset())

const change = (by: Member, wanted: PowerVariant) =>
  by.applianceDevices.changePower({ params: { deviceId: agent.id }, body: { change: wanted } })
const told = () =>
  agent.told.map(([method, message]) => {
    const { dtoType, payload } = message as { dtoType: string; payload: string }
    return [method, dtoType, JSON.parse(Buffer.from(payload, 'base64').toString()) as unknown]
  })

test('a change of the power state reaches the agent, and is written down', async () => {
  agent.answers['ReceiveDto'] = () => ({ ...success, value: null })
  await change(owner, 'lock')
  expect(told()).toEqual([['ReceiveDto', powerChangeType, { change: 'lock' }]])
  const { items } = await owner.applianceAuditLog.list({ tenantId: owner.tenantId, query: { kind: 'device.power' } })
  expect(items[0]).toMatchObject({ outcome: 'success', deviceId: agent.id, details: { command: 'lock' } })
})

test('the reason of the device is told; an agent of another make cannot do it', async () => {
  agent.answers['ReceiveDto'] = () => failureOf('Nobody is signed in.')
  await expect(change(owner, 'log-off')).rejects.toMatchObject({ status: 503, message: 'Nobody is signed in.' })
  agent.answers['ReceiveDto'] = () => null
  await expect(change(owner, 'sleep')).rejects.toMatchObject({ status: 503, message: 'This agent cannot do that.' })
})

test('a reader of the device may not change its power state', async () => {
  await expect(change(reader, 'firmware')).rejects.toMatchObject({ status: 403 })
  expect(agent.told).toEqual([])
})
