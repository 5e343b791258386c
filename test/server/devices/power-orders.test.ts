import { join } from 'node:path'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { PowerOrders } from '../../../agent/capabilities/power-orders.ts'
import type { OrderPowerDto, PowerStateDto } from '../../../shared/dtos/power-order.ts'
import type { z } from 'zod'
import { failureOf } from '../../../shared/dtos/hub-result.ts'
import { manualClock } from '../../support/clock.ts'
import { collectingLog, temporaryFolder } from '../../agent/support.ts'
import { addMember, newAddress } from '../../support/people.ts'
import { recordingAgent, type RecordingAgent } from '../../support/recording-agent.ts'
import { integrator, serverForFile, Visitor, type Integrator, type Member } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const server = serverForFile()
let owner: Member
let technician: Member
let agent: RecordingAgent
let changes: string[]
let orders: PowerOrders
let pass: (ms: number) => void
let lastReport: () => PowerStateDto | undefined
/** Times that the answer to a confirmation is lost. */
let lostAnswers: number

beforeAll(async () => {
  const { tenantId } = await server.owner()
  owner = await server.signIn()
  technician = await addMember(server, tenantId, ['device.read', 'device.power.manage'])
})

/** Device with the orders of the real agent, whose clock the test moves and which restarts nothing. */
async function openDevice(aheadMs = 0) {
  agent = await recordingAgent(owner)
  changes = []
  lostAnswers = 0
  const clock = manualClock(Date.now() + aheadMs)
  const reports: PowerStateDto[] = []
  lastReport = () => reports.at(-1)
  orders = new PowerOrders({
    clock,
    log: collectingLog(),
    file: join(temporaryFolder(), 'power-order.json'),
    variants: async () => ['lock', 'sleep'],
    person: async () => undefined,
    async report(state) {
      await agent.SendPowerState(state)
      reports.push(state)
    },
    async confirm(id) {
      const answer = await agent.ConfirmPowerOrder(id)
      if (lostAnswers-- > 0) {
        throw new Error('The connection was lost.')
      }
      return answer
    },
    change: ({ change }) => void changes.push(change),
  })
  orders.start()
  pass = (ms) => clock.advance(ms)
  agent.answers['ReceiveDto'] = (message: { dtoType: string; payload: string }) => orders.receive(message)
  orders.resume()
  await until(async () => (await read()).variants !== null)
}

beforeEach(() => openDevice())

const params = () => ({ params: { deviceId: agent.id } })
const read = () => owner.applianceDevices.power(params())
const order = (by: Member | Integrator, body: Partial<z.input<typeof OrderPowerDto>>) =>
  by.applianceDevices.orderPower({
    ...params(),
    body: { change: 'restart', when: 'hour', person: 'not-today', ...body },
  })
const orderedId = () => {
  const [, message] = agent.told.find(([method]) => method === 'ReceiveDto')!
  const { payload } = message as { payload: string }
  return (JSON.parse(Buffer.from(payload, 'base64').toString()) as { id: string }).id
}
const audited = async (kind: 'device.power' | 'device.power-ordered' | 'device.power-canceled') => {
  const { items } = await owner.applianceAuditLog.list({ tenantId: owner.tenantId, query: { kind } })
  return items.filter(({ deviceId }) => deviceId === agent.id)
}

test('an order is on the page of its device, and happens in time in the name of its account', async () => {
  const { dueAt } = await order(technician, {})
  expect(Math.abs(Date.parse(dueAt) - Date.now() - 60 * 60_000)).toBeLessThan(60_000)
  expect(await read()).toMatchObject({
    variants: ['lock', 'sleep'],
    order: { change: 'restart', dueAt, orderedBy: technician.user.email, person: 'not-today', isAsking: false },
  })
  expect(await audited('device.power-ordered')).toMatchObject([
    {
      actorName: technician.user.email,
      details: { command: 'restart', when: 'hour', person: 'not-today' },
    },
  ])
  pass(60 * 60_000)
  await until(() => changes.length > 0)
  expect(changes).toEqual(['restart'])
  expect((await read()).order).toBeNull()
  expect(await audited('device.power')).toMatchObject([
    {
      outcome: 'success',
      actorName: technician.user.email,
      details: { command: 'restart' },
    },
  ])
})

test('an order is canceled at the device and on the server', async () => {
  await order(technician, { change: 'shutdown' })
  await owner.applianceDevices.cancelPower(params())
  expect((await read()).order).toBeNull()
  expect(await audited('device.power-canceled')).toMatchObject([
    {
      details: { command: 'shutdown', by: technician.user.email },
    },
  ])
  await expect(owner.applianceDevices.cancelPower(params())).rejects.toMatchObject({ status: 404 })
  pass(2 * 60 * 60_000)
  expect(changes).toEqual([])
})

test('an order is carried out although the answer of the server was lost, and is in the audit log once', async () => {
  await order(technician, {})
  lostAnswers = 1
  pass(60 * 60_000)
  await until(() => lostAnswers === 0)
  expect((await read()).order).toMatchObject({ change: 'restart' })
  await until(() => {
    pass(5_000)
    return changes.length > 0
  })
  expect(changes).toEqual(['restart'])
  expect(await audited('device.power')).toMatchObject([{ outcome: 'success' }])
  expect((await read()).order).toBeNull()
})

test('an order is canceled while the device asks again because the answer of the server was lost', async () => {
  await order(technician, {})
  lostAnswers = 1
  pass(60 * 60_000)
  await until(() => lostAnswers === 0)
  await owner.applianceDevices.cancelPower(params())
  expect((await read()).order).toBeNull()
  pass(10 * 60_000)
  orders.resume()
  await until(() => lastReport()?.order === null)
  expect(changes).toEqual([])
})

test('a device that reports a time beyond every delay keeps its order for a day, and not for years', async () => {
  const { createdAt } = await order(technician, {})
  const id = orderedId()
  for (const at of ['9999-12-31T00:00:00.000Z', '0001-01-01T00:00:00.000Z']) {
    await agent.SendPowerState({ variants: [], order: { id, at, isAsking: false }, ended: null })
    const dueAt = Date.parse((await read()).order!.dueAt)
    expect(dueAt - Date.parse(createdAt)).toBeGreaterThanOrEqual(0)
    expect(dueAt - Date.parse(createdAt)).toBeLessThanOrEqual(25 * 60 * 60_000)
  }
})

test('a device that cannot take another order keeps the earlier one, also for the server', async () => {
  await order(technician, { change: 'shutdown' })
  const take = agent.answers['ReceiveDto']!
  agent.answers['ReceiveDto'] = () => failureOf('The disk is full.')
  await expect(order(owner, {})).rejects.toMatchObject({ status: 503 })
  agent.answers['ReceiveDto'] = take
  expect((await read()).order).toMatchObject({ change: 'shutdown', orderedBy: technician.user.email })
  pass(60 * 60_000)
  await until(() => changes.length > 0)
  expect(changes).toEqual(['shutdown'])
})

test.each([-3, 3])('an order happens in time on a device whose clock is %i hours ahead', async (hours) => {
  await openDevice(hours * 60 * 60_000)
  const { dueAt } = await order(technician, {})
  expect(Math.abs(Date.parse(dueAt) - Date.now() - 60 * 60_000)).toBeLessThan(60_000)
  expect((await read()).order).not.toBeNull()
  pass(60 * 60_000)
  await until(() => changes.length > 0)
})

test('the reason of a person who declines is written down', async () => {
  await order(technician, {})
  const id = orderedId()
  await agent.SendPowerState({ variants: [], order: null, ended: { id, reason: 'Not today.' } })
  expect((await read()).order).toBeNull()
  expect((await audited('device.power')).map(({ details }) => details)).toEqual([
    { command: 'restart', reason: 'Not today.' },
  ])
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
  expect(await audited('device.power')).toMatchObject([
    {
      outcome: 'failure',
      actorName: technician.user.email,
      details: { command: 'restart', reason: expect.stringContaining('may not restart this device') as string },
    },
  ])
})

test('an order that others made as an invited account is canceled at the acceptance, at the device too (T43)', async () => {
  const { tenantId } = owner
  const email = newAddress()
  const start = { roles: [], scopes: [], groupIds: [] }
  const { inviteUrl } = await owner.appliancePeople.invite({ tenantId, body: { inviteeEmail: email, start } })
  const userId = (await owner.users.list({ tenantId })).items.find((user) => user.email === email)!.id
  const body = { principalKind: 'User', principalId: userId, presetNames: ['Device Superuser'] }
  await owner.permissionAssignments.applyPresets({ tenantId, body })
  const tokens = owner.userPersonalAccessTokens
  const { plainTextToken } = await tokens.create({ tenantId, params: { userId }, body: { name: 'made before' } })
  await order(integrator(server.url, { 'x-personal-token': plainTextToken }), {})
  await until(() => lastReport()?.order != null)
  const activationCode = inviteUrl.split('/').at(-1)!
  const acceptance = { activationCode, email, password: 'Babbage-Engine-2' }
  expect(await new Visitor(server).inviteAcceptance.accept({ body: acceptance })).toMatchObject({ isSuccessful: true })
  await until(() => lastReport()?.order === null)
  expect((await read()).order).toBeNull()
  expect(await audited('device.power-canceled')).toMatchObject([
    { actorName: email, details: { command: 'restart', by: email } },
  ])
  pass(60 * 60_000)
  expect(changes).toEqual([])
})
