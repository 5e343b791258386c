import { join } from 'node:path'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { PowerOrders } from '../../../agent/capabilities/power-orders.ts'
import type { OrderPowerDto } from '../../../shared/dtos/power-order.ts'
import type { z } from 'zod'
import { manualClock } from '../../support/clock.ts'
import { collectingLog, temporaryFolder } from '../../agent/support.ts'
import { addMember } from '../../support/people.ts'
import { recordingAgent, type RecordingAgent } from '../../support/recording-agent.ts'
import { serverForFile, type Member } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const server = serverForFile()
let owner: Member
let technician: Member
let agent: RecordingAgent
let changes: string[]
let pass: (ms: number) => void

beforeAll(async () => {
  const { tenantId } = await server.owner()
  owner = await server.signIn()
  technician = await addMember(server, tenantId, ['device.read', 'device.power.manage'])
})

/** Device with the orders of the real agent, whose clock the test moves and which restarts nothing. */
beforeEach(async () => {
  agent = await recordingAgent(owner)
  changes = []
  const clock = manualClock(Date.now())
  const orders = new PowerOrders({
    clock,
    log: collectingLog(),
    file: join(temporaryFolder(), 'power-order.json'),
    variants: async () => ['lock', 'sleep'],
    person: async () => undefined,
    report: (state) => agent.SendPowerState(state),
    confirm: (id) => agent.ConfirmPowerOrder(id),
    change: (change) => void changes.push(change),
  })
  orders.start()
  pass = (ms) => clock.advance(ms)
  agent.answers['ReceiveDto'] = (message: { dtoType: string; payload: string }) => orders.receive(message)
  orders.resume()
  await until(async () => (await read()).variants !== null)
})

const params = () => ({ params: { deviceId: agent.id } })
const read = () => owner.applianceDevices.power(params())
const order = (by: Member, body: Partial<z.input<typeof OrderPowerDto>>) =>
  by.applianceDevices.orderPower({
    ...params(),
    body: { change: 'restart', when: 'hour', person: 'not-today', ...body },
  })
const audited = async (kind: 'device.power' | 'device.power-ordered' | 'device.power-canceled') => {
  const { items } = await owner.applianceAuditLog.list({ tenantId: owner.tenantId, query: { kind } })
  return items.find(({ deviceId }) => deviceId === agent.id)
}

test('an order is on the page of its device, and happens in time in the name of its account', async () => {
  const { dueAt } = await order(technician, {})
  expect(Math.abs(Date.parse(dueAt) - Date.now() - 60 * 60_000)).toBeLessThan(60_000)
  expect(await read()).toMatchObject({
    variants: ['lock', 'sleep'],
    order: { change: 'restart', dueAt, orderedBy: technician.user.email, person: 'not-today', isAsking: false },
  })
  expect(await audited('device.power-ordered')).toMatchObject({
    actorName: technician.user.email,
    details: { command: 'restart', when: 'hour', person: 'not-today' },
  })
  pass(60 * 60_000)
  await until(() => changes.length > 0)
  expect(changes).toEqual(['restart'])
  expect((await read()).order).toBeNull()
  expect(await audited('device.power')).toMatchObject({
    outcome: 'success',
    actorName: technician.user.email,
    details: { command: 'restart' },
  })
})

test('an order is canceled at the device and on the server', async () => {
  await order(technician, { change: 'shutdown' })
  await owner.applianceDevices.cancelPower(params())
  expect((await read()).order).toBeNull()
  expect(await audited('device.power-canceled')).toMatchObject({
    details: { command: 'shutdown', by: technician.user.email },
  })
  await expect(owner.applianceDevices.cancelPower(params())).rejects.toMatchObject({ status: 404 })
  pass(2 * 60 * 60_000)
  expect(changes).toEqual([])
})

test('the reason of a person who declines is written down', async () => {
  await order(technician, {})
  const [, message] = agent.told.find(([method]) => method === 'ReceiveDto')!
  const { payload } = message as { payload: string }
  const { id } = JSON.parse(Buffer.from(payload, 'base64').toString()) as { id: string }
  await agent.SendPowerState({ variants: [], order: null, ended: { id, reason: 'Not today.' } })
  expect((await read()).order).toBeNull()
  expect((await audited('device.power'))!.details).toEqual({ command: 'restart', reason: 'Not today.' })
})

test('an agent that has said nothing of its power takes no order, and a reader orders nothing', async () => {
  const reader = await addMember(server, owner.tenantId, ['device.read'])
  await expect(order(reader, {})).rejects.toMatchObject({ status: 403 })
  agent = await recordingAgent(owner)
  await expect(order(owner, {})).rejects.toMatchObject({ status: 503 })
  expect((await read()).variants).toBeNull()
})

test('a batch orders the restart of many devices', async () => {
  const power = { when: 'tonight', person: 'hour' } as const
  const { id } = await technician.applianceBatches.start({ body: { kind: 'restart', deviceIds: [agent.id], power } })
  const batch = await until(async () => {
    const found = (await technician.applianceBatches.get({ params: { batchId: id } })).batch
    return found.finishedAt === null ? undefined : found
  })
  expect(batch).toMatchObject({ power, counts: { done: 1 } })
  expect((await read()).order).toMatchObject({ change: 'restart', person: 'hour' })
})

test('an order does not happen once its account has ended (T43)', async () => {
  await order(technician, {})
  await owner.appliancePeople.disable({ tenantId: owner.tenantId, params: { userId: technician.user.id } })
  pass(60 * 60_000)
  await until(async () => (await read()).order === null)
  expect(changes).toEqual([])
  expect(await audited('device.power')).toMatchObject({
    outcome: 'failure',
    actorName: technician.user.email,
    details: { command: 'restart', reason: expect.stringContaining('may not restart this device') as string },
  })
})
