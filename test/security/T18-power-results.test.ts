import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { failureOf } from '../../shared/dtos/hub-result.ts'
import { powerOrderType, type PowerStateDto } from '../../shared/dtos/power-order.ts'
import { recordingAgent, type RecordingAgent } from '../support/recording-agent.ts'
import { serverForFile, type Member } from '../support/server.ts'
import { until } from '../support/until.ts'

const server = serverForFile()
const markup = '<img src=x onerror=alert(1)>'
const long = markup + 'x'.repeat(500_000)
const idle: PowerStateDto = { variants: ['lock'], order: null, ended: null }
let owner: Member
let honest: RecordingAgent
let hostile: RecordingAgent

beforeAll(async () => {
  owner = await server.owner()
})

/** Device whose agent has reported that it takes orders. */
async function openDevice() {
  const agent = await recordingAgent(owner)
  await agent.SendPowerState(idle)
  return agent
}

beforeEach(async () => {
  ;[honest, hostile] = [await openDevice(), await openDevice()]
})

const paramsOf = ({ id }: RecordingAgent) => ({ params: { deviceId: id } })
const powerOf = (agent: RecordingAgent) => owner.applianceDevices.power(paramsOf(agent))
const order = (agent: RecordingAgent) =>
  owner.applianceDevices.orderPower({
    ...paramsOf(agent),
    body: { change: 'restart', when: 'hour', person: 'not-today' },
  })

/** Id of the order that a device has received. */
function orderedId(agent: RecordingAgent): string {
  const messages = agent.told.map(([, message]) => message as { dtoType: string; payload: string })
  const { payload } = messages.find(({ dtoType }) => dtoType === powerOrderType)!
  return (JSON.parse(Buffer.from(payload, 'base64').toString()) as { id: string }).id
}

const audited = async ({ id }: RecordingAgent) => {
  const { items } = await owner.applianceAuditLog.list({ tenantId: owner.tenantId, query: { kind: 'device.power' } })
  return items.filter(({ deviceId }) => deviceId === id)
}

test('a device neither ends nor delays nor confirms the order of another device', async () => {
  await order(honest)
  const id = orderedId(honest)
  const before = await powerOf(honest)
  const claims: Partial<PowerStateDto>[] = [
    { order: { id, at: '9999-12-31T00:00:00.000Z', isAsking: true } },
    { ended: { id, reason: markup } },
  ]
  for (const claim of claims) {
    await hostile.SendPowerState({ ...idle, ...claim })
  }
  expect(await hostile.ConfirmPowerOrder(id)).toMatchObject({ isSuccess: false })
  expect(await powerOf(honest)).toEqual(before)
  expect((await powerOf(hostile)).order).toBeNull()
  expect([...(await audited(honest)), ...(await audited(hostile))]).toEqual([])
})

test('results of orders that nobody gave are in no log, and shown nowhere', async () => {
  const id = randomUUID()
  expect(await hostile.ConfirmPowerOrder(id)).toMatchObject({ isSuccess: false })
  await hostile.SendPowerState({ ...idle, order: { id, at: new Date().toISOString(), isAsking: true } })
  await hostile.SendPowerState({ ...idle, ended: { id, reason: markup } })
  expect(await powerOf(hostile)).toEqual({ variants: ['lock'], order: null })
  expect(await audited(hostile)).toEqual([])
})

test('changes that no system has, and ids and times that are none, are rejected', async () => {
  const wrong = [
    { ...idle, variants: [markup] },
    { ...idle, variants: Array.from({ length: 1_000 }, () => 'lock') },
    { ...idle, order: { id: '__proto__', at: 'never', isAsking: 'yes' } },
  ] as unknown as PowerStateDto[]
  const answers = await Promise.allSettled(wrong.map((state) => hostile.SendPowerState(state)))
  expect(answers.map(({ status }) => status)).toEqual(wrong.map(() => 'rejected'))
  expect(await powerOf(hostile)).toEqual({ variants: ['lock'], order: null })
})

test('a reason of half a megabyte is answered and stored in part', async () => {
  hostile.answers['ReceiveDto'] = () => failureOf(long)
  const cut = { status: 503, message: long.slice(0, 5_000) }
  await expect(order(hostile)).rejects.toMatchObject(cut)
  const lock = { ...paramsOf(hostile), body: { change: 'lock' } } as const
  await expect(owner.applianceDevices.changePower(lock)).rejects.toMatchObject(cut)
  const { id } = await owner.applianceBatches.start({
    body: { kind: 'restart', deviceIds: [hostile.id], power: { when: 'hour', person: 'not-today' } },
  })
  const { results } = await until(async () => {
    const found = await owner.applianceBatches.get({ params: { batchId: id } })
    return found.batch.finishedAt === null ? undefined : found
  })
  expect(results).toMatchObject([{ state: 'failed', reason: cut.message }])
  const reasons = (await audited(hostile)).flatMap(({ details }) => details?.['reason'] ?? [])
  expect(reasons).toEqual(Array.from({ length: 2 }, () => long.slice(0, 256)))
})
