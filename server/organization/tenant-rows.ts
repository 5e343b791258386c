import { UniqueConstraintError, type ModelStatic, type Transaction, type WhereOptions } from 'sequelize'
import type { App } from '../call/call.ts'
import { checkTenantRowLimit } from '../call/check-row-limit.ts'
import { found, invalid, nameTaken, notFound } from '../ground/errors.ts'
import type { Entity } from '../engines/database/entity.ts'

export interface TenantRow {
  id: string
  tenantId: string
}

/**
 * Throws 404 for an unknown tenant: a server service account may name any. Asks the mirror, also in a shared transaction:
 * tenants are created in transactions of their own.
 */
export function requireTenant({ tenants }: App, id: string): void {
  if (!tenants.has(id)) {
    throw notFound('tenant')
  }
}

/** Finds a row of a tenant; throws 404 for an unknown id and for a row of another tenant. */
export async function findOfTenant<Row extends TenantRow>(
  model: ModelStatic<Entity<Row>>,
  noun: string,
  tenantId: string,
  id: string,
  transaction?: Transaction,
): Promise<Entity<Row>> {
  const where = { id, tenantId } as WhereOptions
  return found(await model.findOne({ where, transaction }), noun)
}

/**
 * Reads some columns of the rows whose ids a request names; throws 400 for the member `field` unless all rows belong to
 * the tenant.
 */
export async function requireOfTenant<Row extends TenantRow, Column extends keyof Row & string>(
  model: ModelStatic<Entity<Row>>,
  noun: string,
  tenantId: string,
  named: { field: string; ids: readonly string[]; columns: readonly Column[] },
  transaction: Transaction,
): Promise<Pick<Row, Column | 'id'>[]> {
  const ids = [...new Set(named.ids)]
  const where = { id: ids, tenantId } as WhereOptions
  const rows = await model.findAll({ where, attributes: ['id', ...named.columns], raw: true, transaction })
  if (rows.length < ids.length) {
    const known = new Set<string>(rows.map((row) => row.id))
    const unknown = ids.filter((id) => !known.has(id))
    throw invalid({ [named.field]: unknown.slice(0, 10).map((id) => `${id} is not a ${noun} of this tenant`) })
  }
  return rows
}

/** Throws 409 when another row of the tenant has the name, compared without regard to case. */
export async function rejectTakenName<Row extends TenantRow & { name: string }>(
  model: ModelStatic<Entity<Row>>,
  noun: string,
  { id, tenantId, name }: { id: string; tenantId: string; name: string },
  transaction?: Transaction,
): Promise<void> {
  const where = { tenantId, name } as WhereOptions
  const holder = await model.findOne({ where, attributes: ['id'], raw: true, transaction })
  if (holder && holder.id !== id) {
    throw nameTaken(`A ${noun} with this name already exists.`, holder.id)
  }
}

/**
 * Creates a row in a shared transaction. Throws 409 when the tenant has too many, and when another row has its name: the
 * index of the table decides, because a search before each insertion takes as long as the insertion.
 */
export async function createNamed<Row extends TenantRow & { name: string }>(
  app: App,
  model: ModelStatic<Entity<Row>>,
  noun: 'customer' | 'device group' | 'tag' | 'user group',
  row: Row,
  create: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  try {
    await app.database.writeShared(async (transaction) => {
      requireTenant(app, row.tenantId)
      await checkTenantRowLimit(`${noun}s`, model, row.tenantId, transaction)
      await create(transaction)
    })
  } catch (error) {
    if (error instanceof UniqueConstraintError) {
      await rejectTakenName(model, noun, row)
    }
    throw error
  }
}
