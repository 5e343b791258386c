import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import type { AssignCustomerDevicesRequestDto, CustomerRequestDto } from '../../shared/api/customers.ts'
import type { App, Call, OpenCall } from '../call/call.ts'
import { found } from '../ground/errors.ts'
import { rowOf, type Entity } from '../engines/database/entity.ts'
import type { CustomerRow } from './tables.ts'
import { recordChange } from '../rights/authorization-log.ts'
import type { ActionType, Change } from '../rights/change.ts'
import { removeAssignmentsOn } from '../assignments/assignment-cleanup.ts'
import { checkTokenMayMove, type Move } from './device-moves.ts'
import { recordLostPolicies } from './scoped-policies.ts'
import { createNamed, findOfTenant, rejectTakenName, requireOfTenant } from './tenant-rows.ts'

export interface CustomerWithCount extends CustomerRow {
  deviceCount: number
}

const customersSql = `SELECT c.*, (SELECT count(*) FROM devices WHERE customerId = c.id) AS deviceCount
  FROM customers AS c WHERE c.tenantId = ?`

export const listCustomers = ({ app: { database } }: OpenCall, tenantId: string): Promise<CustomerWithCount[]> =>
  database.all(`${customersSql} ORDER BY c.name, c.id`, [tenantId])

export async function getCustomer(
  { app: { database } }: OpenCall,
  tenantId: string,
  id: string,
): Promise<CustomerWithCount> {
  const [customer] = await database.all<CustomerWithCount>(`${customersSql} AND c.id = ?`, [tenantId, id])
  return found(customer, 'customer')
}

export const changeOf = (
  actionType: ActionType,
  { id, tenantId }: Pick<CustomerRow, 'id' | 'tenantId'>,
  states: Pick<Change, 'before' | 'after'>,
): Change => ({ actionType, targetType: 'Customer', targetId: id, tenantId, ...states })

const columnsOf = ({ name, description, notes }: CustomerRequestDto) => ({
  name,
  description: description ?? null,
  notes: notes ?? null,
})

export const deviceIdsOf = async ({ models }: App, customerId: string, transaction: Transaction) =>
  (await models.Device.findAll({ where: { customerId }, attributes: ['id'], raw: true, transaction })).map(
    ({ id }) => id,
  )

const checkMoves = (call: Call, tenantId: string, moves: readonly Move[], transaction: Transaction) =>
  checkTokenMayMove(
    call,
    { permission: 'tenant.customers.write', on: { kind: 'Tenant', tenantId } },
    moves,
    transaction,
  )

export async function createCustomer(
  call: Call,
  tenantId: string,
  request: CustomerRequestDto,
): Promise<CustomerWithCount> {
  const { app } = call
  const row: CustomerRow = { id: randomUUID(), tenantId, createdAt: app.clock.now(), ...columnsOf(request) }
  await createNamed(app, app.models.Customer, 'customer', row, async (transaction) => {
    await app.models.Customer.create(row, { transaction })
    await recordChange(call, transaction, changeOf('customer-created', row, { after: row }))
  })
  return { ...row, deviceCount: 0 }
}

export async function updateCustomer(
  call: Call,
  tenantId: string,
  id: string,
  request: CustomerRequestDto,
): Promise<CustomerWithCount> {
  const { app } = call
  const columns = columnsOf(request)
  await app.database.writeShared(async (transaction) => {
    const customer = await findOfTenant(app.models.Customer, 'customer', tenantId, id, transaction)
    await rejectTakenName(app.models.Customer, 'customer', { id, tenantId, name: columns.name }, transaction)
    const before = rowOf(customer)
    await customer.update(columns, { transaction })
    const states = { before, after: { ...before, ...columns } }
    await recordChange(call, transaction, changeOf('customer-updated', before, states))
  })
  return getCustomer(call, tenantId, id)
}

export async function deleteCustomer(call: Call, tenantId: string, id: string): Promise<void> {
  const { app } = call
  await app.database.write(async (transaction) =>
    deleteIn(call, transaction, await findOfTenant(app.models.Customer, 'customer', tenantId, id, transaction)),
  )
}

/** Deletes a customer with the rights on it. */
export async function deleteIn(call: Call, transaction: Transaction, customer: Entity<CustomerRow>): Promise<void> {
  const { id, tenantId } = customer
  const members = await deviceIdsOf(call.app, id, transaction)
  await checkMoves(call, tenantId, [{ scopeId: id, deviceIds: members, direction: 'out of' }], transaction)
  await removeAssignmentsOn(call, transaction, [id])
  const before = { ...customer.get({ plain: true }), deviceIds: members }
  await recordLostPolicies(call, transaction, 'customerId', id)
  await customer.destroy({ transaction })
  await recordChange(call, transaction, changeOf('customer-deleted', before, { before }))
}

/** Assigns devices to a customer and removes others from it. Removals skip devices of other customers. */
export async function assignCustomerDevices(
  call: Call,
  tenantId: string,
  id: string,
  request: AssignCustomerDevicesRequestDto,
): Promise<void> {
  const { app } = call
  await app.database.write(async (transaction) => {
    const customer = await findOfTenant(app.models.Customer, 'customer', tenantId, id, transaction)
    await assignIn(call, transaction, customer, request)
  })
}

export async function assignIn(
  call: Call,
  transaction: Transaction,
  customer: Entity<CustomerRow>,
  request: AssignCustomerDevicesRequestDto,
): Promise<void> {
  const { Device } = call.app.models
  const { id, tenantId } = customer
  const named = (field: 'deviceIds' | 'removeDeviceIds') =>
    requireOfTenant(
      Device,
      'device',
      tenantId,
      { field, ids: request[field] ?? [], columns: ['customerId'] },
      transaction,
    )
  const added = (await named('deviceIds')).filter((device) => device.customerId !== id)
  const removed = (await named('removeDeviceIds')).filter((device) => device.customerId === id)
  const before = [...added, ...removed].map((device) => ({ deviceId: device.id, customerId: device.customerId }))
  if (before.length === 0) {
    return
  }
  const addedIds = added.map((device) => device.id)
  const removedIds = removed.map((device) => device.id)
  const left = added.flatMap((device): Move[] =>
    device.customerId === null ? [] : [{ scopeId: device.customerId, deviceIds: [device.id], direction: 'out of' }],
  )
  const moves: Move[] = [
    { scopeId: id, deviceIds: addedIds, direction: 'into' },
    { scopeId: id, deviceIds: removedIds, direction: 'out of' },
    ...left,
  ]
  await checkMoves(call, tenantId, moves, transaction)
  await Device.update({ customerId: id }, { where: { id: addedIds }, transaction })
  await Device.update({ customerId: null }, { where: { id: removedIds }, transaction })
  const after = [
    ...addedIds.map((deviceId) => ({ deviceId, customerId: id })),
    ...removedIds.map((deviceId) => ({ deviceId, customerId: null })),
  ]
  await recordChange(call, transaction, changeOf('customer-devices-assigned', customer, { before, after }))
}
