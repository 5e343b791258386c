import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import { failure, success, type HubResult } from '../../shared/dtos/hub-result.ts'
import {
  cancelPowerOrderType,
  longestPowerDelayMs,
  powerLapseMs,
  powerOrderType,
  type OrderedChange,
  type PowerOrder as PowerOrderMessage,
  type PowerStateDto,
  type PowerTiming,
} from '../../shared/dtos/power-order.ts'
import { systemCall, type App, type Call, type OpenCall } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { deviceRight } from '../fleet/rights.ts'
import { actorOf } from '../ground/actor.ts'
import { forbidden, notFound } from '../ground/errors.ts'
import { nameOfCaller, nameOfVisitor } from '../people/names.ts'
import { makerColumns, makerNow } from '../rights/maker.ts'
import { abilitiesOf } from './agent-abilities.ts'
import { agentMessage, askAgent, notOnline, refusedWith } from './calls.ts'
import { noteEvidence } from './absence-evidence.ts'
import type { PowerOrderRow } from './tables.ts'

/** Time within which an agent may report that it does not know an order yet. */
const settleMs = 60_000

const notOrdered = refusedWith(503, 'The device did not take the order')
const cannot = 'The agent of this device cannot do that. Update it, or restart the device now.'

const rowOf = ({ models }: App, device: DeviceState): Promise<PowerOrderRow | null> =>
  models.PowerOrder.findOne({ where: { deviceId: device.id }, raw: true })

const isInTime = ({ clock }: App, { dueAt, confirmedAt }: PowerOrderRow) =>
  clock.now() <= (confirmedAt ?? dueAt) + powerLapseMs

/** Order of a device. One that was confirmed is kept until the device reports that it is done: the answer may be lost. */
export async function powerOrderOf(app: App, device: DeviceState): Promise<PowerOrderRow | undefined> {
  const row = await rowOf(app, device)
  return row && isInTime(app, row) ? row : undefined
}

/** Orders a restart or shutdown, which replaces an earlier order of the device. Throws with the reason of the device. */
export async function orderPower(
  call: Call,
  device: DeviceState,
  { change, when, person }: PowerTiming & { change: OrderedChange },
): Promise<PowerOrderRow> {
  const { app, actor, principal } = call
  if (device.connectionId === '') {
    throw notOnline(409)
  }
  if (principal.credential.kind === 'LogonToken') {
    throw forbidden('Sign in to order this: a link ends before the device asks whether you may.')
  }
  const abilities = await abilitiesOf(app, device.connectionId)
  if (!abilities) {
    throw notOnline(409)
  }
  if (!abilities.takesPowerOrders) {
    throw notOrdered(cannot)
  }
  const id = randomUUID()
  const now = app.clock.now()
  const makerName = nameOfCaller(call)
  const row: PowerOrderRow = {
    deviceId: device.id,
    id,
    change,
    person,
    // Until the agent reports the time on its clock.
    dueAt: now,
    ...makerColumns(principal),
    makerName,
    createdAt: now,
    confirmedAt: null,
  }
  const earlier = await rowOf(app, device)
  // Stored first: the agent may ask for the order before it has answered.
  await app.database.write(async (transaction) => {
    await app.models.PowerOrder.upsert(row, { transaction })
    const event = { kind: 'device.power-ordered', device, details: { command: change, when, person } } as const
    await app.audit.recordIn(transaction, actor, [event])
  })
  const organizationName = app.tenants.get(device.tenantId)?.name
  const order: PowerOrderMessage = {
    id,
    change,
    when,
    person,
    visitorName: nameOfVisitor(call),
    ...(organizationName !== undefined && { organizationName }),
  }
  const result = await askAgent(
    call,
    device,
    async (agent) => (await agent.ReceiveDto(agentMessage(powerOrderType, order))) ?? failure(cannot),
  )
  if (!result.isSuccess) {
    await endOrder(app, device, row, result.reason!, earlier)
    throw notOrdered(result.reason!)
  }
  return (await app.models.PowerOrder.findOne({ where: { deviceId: device.id, id }, raw: true })) ?? row
}

const removeRow = ({ models }: App, { deviceId, id }: PowerOrderRow, transaction: Transaction) =>
  models.PowerOrder.destroy({ where: { deviceId, id }, transaction })

const cancellation = (device: DeviceState, { change, makerName }: PowerOrderRow) =>
  ({ kind: 'device.power-canceled', device, details: { command: change, by: makerName } }) as const

const cancelAtDevice = (app: App, device: DeviceState, { id }: PowerOrderRow) =>
  askAgent(
    systemCall(app),
    device,
    async (agent) => (await agent.ReceiveDto(agentMessage(cancelPowerOrderType, { id }))) ?? success,
  )

/** Cancels the order of a device. A device that is offline asks before it acts, and is refused then. */
export async function cancelPowerOrder(call: Call, device: DeviceState): Promise<void> {
  const { app, actor } = call
  const row = await powerOrderOf(app, device)
  if (!row) {
    throw notFound('order')
  }
  await app.database.write(async (transaction) => {
    await removeRow(app, row, transaction)
    await app.audit.recordIn(transaction, actor, [cancellation(device, row)])
  })
  await cancelAtDevice(app, device, row)
}

/** Removes the orders that an account made, and cancels at their devices those that are not over. */
export async function removePowerOrdersOf(
  { app, actor }: Pick<Call, 'app' | 'actor'>,
  transaction: Transaction,
  makerId: string,
): Promise<void> {
  const where = { makerId }
  const rows = await app.models.PowerOrder.findAll({ where, transaction, raw: true })
  await app.models.PowerOrder.destroy({ where, transaction })
  for (const row of rows.filter((each) => isInTime(app, each))) {
    const device = app.fleet.get(row.deviceId)
    if (device) {
      await app.audit.recordIn(transaction, actor, [cancellation(device, row)])
      app.database.afterCommit(transaction, () => void cancelAtDevice(app, device, row))
    }
  }
}

/** Actor of what happens later to an order: the account that made it, under its name of then (T45). */
function actorOfMaker(app: App, { makerKind, makerId, madeWith, makerName }: PowerOrderRow) {
  const principal = makerNow(app, { makerKind, makerId }, madeWith)?.principal
  const actor = actorOf(principal, null)
  return {
    ...actor,
    type: makerKind === 'User' ? ('user' as const) : ('service-account' as const),
    id: makerId,
    source: { ...actor.source, name: actor.source.name ?? makerName },
  }
}

/** Ends an order that is not carried out. Before the device has taken the order, `earlier` is the one that it keeps. */
async function endOrder(
  app: App,
  device: DeviceState,
  row: PowerOrderRow,
  reason: string,
  earlier: PowerOrderRow | null = null,
): Promise<void> {
  const end = async (transaction: Transaction) => {
    if ((await removeRow(app, row, transaction)) > 0) {
      const details = { command: row.change, reason }
      const event = { kind: 'device.power', device, outcome: 'failure', details } as const
      await app.audit.recordIn(transaction, actorOfMaker(app, row), [event])
      if (earlier) {
        await app.models.PowerOrder.upsert(earlier, { transaction })
      }
    }
  }
  await app.database.uncheckedWrites(() => app.database.write(end))
}

/** Takes the report of an agent: the time of its order, and the end of one. */
export async function takePowerState({ app }: OpenCall, device: DeviceState, state: PowerStateDto): Promise<void> {
  app.powerStates.report(device.connectionId, state)
  const row = await rowOf(app, device)
  if (!row) {
    return
  }
  const now = app.clock.now()
  const { order, ended } = state
  if (ended?.id === row.id) {
    await endOrder(app, device, row, ended.reason)
  } else if (order?.id === row.id) {
    // The clock of the device may be hours off, and the device hostile.
    const reportedAt = Date.parse(order.at) + (state.now === undefined ? 0 : now - Date.parse(state.now))
    const dueAt = Math.min(Math.max(reportedAt, row.createdAt), row.createdAt + longestPowerDelayMs)
    await app.database.write((transaction) =>
      app.models.PowerOrder.update({ dueAt }, { where: { deviceId: device.id, id: row.id }, transaction }),
    )
  } else if (row.confirmedAt !== null) {
    await app.database.write((transaction) => removeRow(app, row, transaction))
  } else if (now > row.createdAt + settleMs) {
    await endOrder(app, device, row, 'The agent no longer has the order.')
  }
}

const canceled = failure('It was canceled.')

/** Says to an agent whether an order that is due may be carried out, and notes that it is; again if that answer was lost. */
export async function confirmPowerOrder({ app }: OpenCall, device: DeviceState, id: string): Promise<HubResult> {
  const row = await rowOf(app, device)
  if (row?.id !== id || !isInTime(app, row)) {
    return canceled
  }
  const maker = makerNow(app, row, row.madeWith)
  if (!maker?.isEnabled || !deviceRight(app, maker.principal, 'device.power.manage')(device)) {
    const reason = `${row.makerName} may not restart this device or shut it down any more.`
    await endOrder(app, device, row, reason)
    return failure(reason)
  }
  const confirmedAt = app.clock.now()
  await noteEvidence(app, device.id, { power: { at: confirmedAt, change: row.change } })
  return app.database.write(async (transaction) => {
    const where = { deviceId: device.id, id }
    const current = await app.models.PowerOrder.findOne({ where, transaction, raw: true })
    if (!current) {
      return canceled
    }
    if (current.confirmedAt !== null) {
      return success
    }
    await app.models.PowerOrder.update({ confirmedAt }, { where, transaction })
    const event = { kind: 'device.power', device, details: { command: row.change } } as const
    await app.audit.recordIn(transaction, actorOfMaker(app, row), [event])
    return success
  })
}
