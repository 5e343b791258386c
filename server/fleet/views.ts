import { nameOfCaller } from '../people/names.ts'
import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import type { DeviceViewRequestDto } from '../../shared/api/appliance-device-views.ts'
import type { Call } from '../call/call.ts'
import { limitReached, forbidden, notFound } from '../ground/errors.ts'
import type { DeviceViewRow } from './tables.ts'
import { holds } from '../rights/rights.ts'
import { requirePerson } from './stars.ts'

const maxOwnViews = 100
const maxSharedViews = 200

/** Views that everybody of the tenant sees are a setting of the tenant. */
const mayShare = ({ app, principal }: Call, tenantId: string) =>
  holds(app, principal, 'tenant.settings.write', tenantId)

function checkMayShare(call: Call, tenantId: string) {
  if (!mayShare(call, tenantId)) {
    throw forbidden('Shared views are changed with the permission tenant.settings.write.')
  }
}

/** A page of the caller's and the shared views, the caller's first, each by name. */
export async function listViews(call: Call, tenantId: string, { page, pageSize }: { page: number; pageSize: number }) {
  const userId = requirePerson(call)
  const { database } = call.app
  const from = 'FROM device_views WHERE tenantId = ? AND (userId = ? OR userId IS NULL)'
  const [{ total } = { total: 0 }] = await database.all<{ total: number }>(`SELECT count(*) AS total ${from}`, [
    tenantId,
    userId,
  ])
  const views = await database.all<DeviceViewRow>(
    `SELECT * ${from} ORDER BY userId IS NULL, name COLLATE NOCASE, id LIMIT ? OFFSET ?`,
    [tenantId, userId, pageSize, page * pageSize],
  )
  const mayChangeShared = mayShare(call, tenantId)
  return {
    items: views.map((view) => ({ view, mayEdit: view.userId !== null || mayChangeShared })),
    totalItems: total,
    mayShare: mayChangeShared,
  }
}

async function checkViewLimit(call: Call, tenantId: string, userId: string | null, transaction: Transaction) {
  const count = await call.app.models.DeviceView.count({ where: { tenantId, userId }, transaction })
  if (count >= (userId === null ? maxSharedViews : maxOwnViews)) {
    throw limitReached(
      userId === null
        ? `There are ${maxSharedViews} shared views. Delete one first.`
        : `You have ${maxOwnViews} views. Delete one first.`,
    )
  }
}

const eventOf = (action: 'shared' | 'unshared', { id, tenantId, name }: DeviceViewRow) =>
  ({ kind: `settings.view-${action}`, tenantId, target: { kind: 'setting', id, name } }) as const

export async function createView(call: Call, tenantId: string, request: DeviceViewRequestDto): Promise<DeviceViewRow> {
  const { app, actor } = call
  const person = requirePerson(call)
  const { isShared, ...columns } = request
  if (isShared) {
    checkMayShare(call, tenantId)
  }
  const view: DeviceViewRow = {
    id: randomUUID(),
    tenantId,
    userId: isShared ? null : person,
    ...columns,
    authorName: nameOfCaller(call),
    createdAt: app.clock.now(),
  }
  await app.database.write(async (transaction) => {
    await checkViewLimit(call, tenantId, view.userId, transaction)
    await app.models.DeviceView.create(view, { transaction })
    if (isShared) {
      await app.audit.recordIn(transaction, actor, [eventOf('shared', view)])
    }
  })
  return view
}

/** A view that the caller sees; throws 404 for one of another user, and 403 for a shared one without the right. */
async function findView(call: Call, tenantId: string, id: string, transaction: Transaction) {
  const userId = requirePerson(call)
  const view = await call.app.models.DeviceView.findOne({ where: { id, tenantId }, transaction })
  if (!view || (view.userId !== null && view.userId !== userId)) {
    throw notFound('view')
  }
  if (view.userId === null) {
    checkMayShare(call, tenantId)
  }
  return view
}

/** Replaces a view. Sharing gives the view to the tenant; unsharing makes it the caller's. */
export async function updateView(
  call: Call,
  tenantId: string,
  id: string,
  { isShared, ...columns }: DeviceViewRequestDto,
): Promise<DeviceViewRow> {
  const { app, actor } = call
  return app.database.write(async (transaction) => {
    const view = await findView(call, tenantId, id, transaction)
    const userId = isShared ? null : requirePerson(call)
    const wasShared = view.userId === null
    if (isShared) {
      checkMayShare(call, tenantId)
    }
    if (isShared !== wasShared) {
      await checkViewLimit(call, tenantId, userId, transaction)
    }
    await view.update({ ...columns, userId }, { transaction })
    const row = view.get({ plain: true })
    if (isShared || wasShared) {
      await app.audit.recordIn(transaction, actor, [eventOf(isShared ? 'shared' : 'unshared', row)])
    }
    return row
  })
}

export async function deleteView(call: Call, tenantId: string, id: string): Promise<void> {
  const { app, actor } = call
  await app.database.write(async (transaction) => {
    const view = await findView(call, tenantId, id, transaction)
    await view.destroy({ transaction })
    if (view.userId === null) {
      await app.audit.recordIn(transaction, actor, [eventOf('unshared', view)])
    }
  })
}
