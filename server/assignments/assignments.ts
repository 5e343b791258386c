import { Op, type Transaction } from 'sequelize'
import { scopeKinds, type PrincipalKind } from '../../shared/access.ts'
import type {
  ApplyPresetsRequestDto,
  CreatePermissionAssignmentRequestDto,
  ReplacePermissionAssignmentsRequestDto,
  UpdatePermissionAssignmentRequestDto,
} from '../../shared/api/permission-assignments.ts'
import type { App, Call } from '../call/call.ts'
import type { Principal } from '../ground/principal.ts'
import { mapInSlices, sortInSlices } from '../ground/clock.ts'
import { alreadyExists, found, invalid, notFound } from '../ground/errors.ts'
import type { PermissionAssignmentRow } from '../rights/tables.ts'
import { maySeeServerRows } from '../rights/rights.ts'
import { checkTaking, keyOf, mayTake, readContents, type Content } from './assignment-checks.ts'
import { findReceiver, type Receiver } from './assignment-targets.ts'
import { endsOf } from './assignment-ends.ts'
import { changeRow, insertRows, removeRows, writeAssignments, type EndingRow, type Write } from './assignment-writes.ts'
import { presetAssignments } from './presets.ts'

/** Whether a row is visible: rows of other tenants are 404 for every principal, and rows of the server for most. */
const isVisible = (app: App, principal: Principal, tenantId: string, { owningTenantId }: PermissionAssignmentRow) =>
  owningTenantId === tenantId || (owningTenantId === null && maySeeServerRows(app, principal))

interface Placed {
  row: PermissionAssignmentRow
  key: string
}

/** Keys are made once for each row: a sort compares each of 20,000 rows about fifteen times. */
const byNameAndScope = ({ row: a, key }: Placed, { row: b, key: other }: Placed) =>
  a.permissionName === b.permissionName
    ? scopeKinds.indexOf(a.scopeKind) - scopeKinds.indexOf(b.scopeKind) || key.localeCompare(other, 'en')
    : a.permissionName.localeCompare(b.permissionName, 'en')

async function withEnds(app: App, rows: readonly PermissionAssignmentRow[], transaction: Transaction) {
  const ids = rows.map(({ id }) => id)
  const ends = await endsOf(app, ids, transaction)
  return rows.map((row): EndingRow => ({ ...row, endsAt: ends.get(row.id) ?? null }))
}

/** Rows of a receiver; with `contents` those alone that may equal one, because a receiver may have thousands of rows. */
async function rowsOf(
  app: App,
  { kind, id }: Receiver,
  transaction: Transaction,
  contents?: readonly Content[],
): Promise<EndingRow[]> {
  const rows = await app.models.PermissionAssignment.findAll({
    where: {
      principalKind: kind,
      principalId: id,
      ...(contents && {
        permissionName: [...new Set(contents.map(({ permissionName }) => permissionName))],
        scopeId: { [Op.or]: [null, { [Op.in]: [...new Set(contents.flatMap(({ scopeId }) => scopeId ?? []))] }] },
      }),
    },
    transaction,
  })
  return withEnds(
    app,
    rows.map((row) => row.get({ plain: true })),
    transaction,
  )
}

const rowsPerRead = 2_000
/** Columns by which the index of a receiver's rows is sorted. */
const indexed = "permissionName, effect, scopeKind, ifnull(scopeId, '')"
type StoredAssignment = Omit<PermissionAssignmentRow, 'isEnabled'> & { isEnabled: number }

/** Lists the rows of a receiver that the principal may see. Throws 404 for a receiver outside of the tenant. */
export async function listAssignments(
  { app, principal }: Call,
  tenantId: string,
  of: { principalKind: PrincipalKind; principalId: string },
): Promise<PermissionAssignmentRow[]> {
  const receiver = found(await findReceiver(app, tenantId, of.principalKind, of.principalId), 'principal')
  const rows: PermissionAssignmentRow[] = []
  let page: StoredAssignment[] = []
  // Reads in pages: a receiver may have 20,000 rows, and the driver builds all rows of a read synchronously.
  do {
    const { permissionName = '', effect = '', scopeKind = '', scopeId = '' } = page.at(-1) ?? {}
    page = await app.database.all<StoredAssignment>(
      `SELECT * FROM permission_assignments WHERE principalKind = ? AND principalId = ? AND (${indexed}) > (?, ?, ?, ?)
        ORDER BY ${indexed} LIMIT ${rowsPerRead}`,
      [receiver.kind, receiver.id, permissionName, effect, scopeKind, scopeId ?? ''],
    )
    const read = page.map((row) => ({ ...row, isEnabled: row.isEnabled === 1 }))
    rows.push(...read.filter((row) => isVisible(app, principal, tenantId, row)))
  } while (page.length === rowsPerRead)
  const placed = await mapInSlices(rows, (row): Placed => ({ row, key: keyOf(row) }))
  return (await sortInSlices(placed, byNameAndScope)).map(({ row }) => row)
}

export async function receiverOf(
  { app, tenantId, transaction }: Write,
  { principalKind, principalId }: { principalKind: PrincipalKind; principalId: string },
): Promise<Receiver> {
  const receiver = await findReceiver(app, tenantId, principalKind, principalId, transaction)
  if (!receiver) {
    throw invalid({ principalId: [`names no ${principalKind} of this tenant`] })
  }
  return receiver
}

/** Throws 409 for a duplicate among the new rows, or of an existing row. */
function checkNew(contents: readonly Content[], existing: readonly PermissionAssignmentRow[]) {
  const known = new Map<string, string | undefined>(existing.map((row) => [keyOf(row), row.id]))
  for (const content of contents) {
    if (known.has(keyOf(content))) {
      const existingId = known.get(keyOf(content))
      throw alreadyExists(`The same assignment of ${content.permissionName} exists already.`, existingId)
    }
    known.set(keyOf(content), undefined)
  }
}

interface Standing {
  /** End of the new rows. */
  endsAt?: number | null
  /** True if the new rows replace equal ones that are switched off. */
  replacesDisabled?: boolean
}

/**
 * Returns the rows of a receiver that may equal a new row, after removing those that do and grant less: rows made by a
 * token that are now granted without a token, and rows that end earlier.
 */
export async function standingRows(
  write: Write,
  receiver: Receiver,
  contents: readonly Content[],
  { endsAt = null, replacesDisabled = false }: Standing = {},
) {
  const rows = await rowsOf(write.app, receiver, write.transaction, contents)
  const wanted = new Map(contents.map((content) => [keyOf(content), content]))
  const isWeaker = (row: EndingRow) => {
    const content = wanted.get(keyOf(row))
    return (
      content !== undefined &&
      ((row.madeWith !== null && content.madeWith === null) ||
        (typeof row.endsAt === 'number' && row.endsAt < (endsAt ?? Infinity)) ||
        (replacesDisabled && !row.isEnabled))
    )
  }
  await removeRows(write, rows.filter(isWeaker))
  return rows.filter((row) => !isWeaker(row))
}

export const createAssignment = (
  call: Call,
  tenantId: string,
  body: CreatePermissionAssignmentRequestDto,
): Promise<PermissionAssignmentRow> =>
  writeAssignments(call, tenantId, async (write) => {
    const receiver = await receiverOf(write, body)
    const contents = await readContents(write, receiver, [body], (_, member) => member)
    checkNew(contents, await standingRows(write, receiver, contents))
    const [row] = await insertRows(write, receiver, contents)
    return row!
  })

const inAssignments = (index: number, member: string) => `assignments.${index}.${member}`

/** Creates all rows or none; all rows have the same receiver. */
export const createAssignments = (
  call: Call,
  tenantId: string,
  assignments: readonly CreatePermissionAssignmentRequestDto[],
): Promise<void> =>
  writeAssignments(call, tenantId, async (write) => {
    const receiver = await receiverOf(write, assignments[0]!)
    const contents = await readContents(write, receiver, assignments, inAssignments)
    checkNew(contents, await standingRows(write, receiver, contents))
    await insertRows(write, receiver, contents)
  })

/** Finds a row that the principal may see, and its receiver. */
export async function findRow(write: Write, id: string) {
  const { app, principal, tenantId, transaction } = write
  const found = await app.models.PermissionAssignment.findByPk(id, { transaction })
  const [row] = await withEnds(app, found ? [found.get({ plain: true })] : [], transaction)
  const receiver = row && (await findReceiver(app, tenantId, row.principalKind, row.principalId, transaction))
  if (!row || !receiver || !isVisible(app, principal, tenantId, row)) {
    throw notFound('permission assignment')
  }
  return { row, receiver }
}

export const updateAssignment = (
  call: Call,
  tenantId: string,
  id: string,
  body: UpdatePermissionAssignmentRequestDto,
): Promise<PermissionAssignmentRow> =>
  writeAssignments(call, tenantId, async (write) => {
    const { row, receiver } = await findRow(write, id)
    await checkTaking(write, receiver.holder, [row])
    const contents = await readContents(write, receiver, [body], (_, member) => member)
    const others = await rowsOf(write.app, receiver, write.transaction, contents)
    checkNew(
      contents,
      others.filter((other) => other.id !== id),
    )
    return changeRow(write, row, contents[0]!)
  })

export const deleteAssignment = (call: Call, tenantId: string, id: string): Promise<void> =>
  writeAssignments(call, tenantId, async (write) => {
    const { row, receiver } = await findRow(write, id)
    await checkTaking(write, receiver.holder, [row])
    await removeRows(write, [row])
  })

/** Deletes the rows that the principal may see and delete; the other ids are reported as failures. */
export const deleteAssignments = (
  call: Call,
  tenantId: string,
  ids: readonly string[],
): Promise<{ successIds: string[]; failureIds: string[] }> =>
  writeAssignments(call, tenantId, async (write) => {
    const { app, principal, transaction } = write
    const wanted = [...new Set(ids)]
    const found = await app.models.PermissionAssignment.findAll({ where: { id: wanted }, transaction })
    const receivers = new Map<string, Receiver | undefined>()
    const mayDelete = async (row: PermissionAssignmentRow) => {
      const { principalKind, principalId } = row
      if (!receivers.has(principalId)) {
        receivers.set(principalId, await findReceiver(app, tenantId, principalKind, principalId, transaction))
      }
      const receiver = receivers.get(principalId)
      return (
        receiver !== undefined &&
        isVisible(app, principal, tenantId, row) &&
        (await mayTake(write, receiver.holder, row))
      )
    }
    const rows: EndingRow[] = []
    const plain = found.map((entity) => entity.get({ plain: true }))
    for (const row of await withEnds(app, plain, transaction)) {
      if (await mayDelete(row)) {
        rows.push(row)
      }
    }
    await removeRows(write, rows)
    const deleted = new Set(rows.map(({ id }) => id))
    return { successIds: wanted.filter((id) => deleted.has(id)), failureIds: wanted.filter((id) => !deleted.has(id)) }
  })

const hasEnded = ({ clock }: App, { endsAt }: EndingRow) => typeof endsAt === 'number' && endsAt <= clock.now()

/** Makes `contents` the only rows at their scope kinds. Identical rows remain untouched, with their end. */
async function replaceRows(write: Write, receiver: Receiver, contents: readonly Content[]): Promise<number> {
  const { app, principal, tenantId, transaction } = write
  const kinds = new Set(contents.map(({ scopeKind }) => scopeKind))
  const replaceable = (await rowsOf(app, receiver, transaction)).filter(
    (row) => kinds.has(row.scopeKind) && isVisible(app, principal, tenantId, row),
  )
  const wanted = new Map(contents.map((content) => [keyOf(content), content]))
  const isKept = (row: EndingRow) => wanted.has(keyOf(row)) && !hasEnded(app, row)
  const gone = replaceable.filter((row) => !isKept(row))
  const standing = replaceable.filter(isKept)
  const changed = standing.filter((row) => {
    const content = wanted.get(keyOf(row))
    const isTakenOver = content?.madeWith === null && row.madeWith !== null
    return content && (isTakenOver || content.notes !== row.notes || content.isEnabled !== row.isEnabled)
  })
  await checkTaking(write, receiver.holder, gone)
  await removeRows(write, gone)
  for (const row of changed) {
    await changeRow(write, row, wanted.get(keyOf(row))!)
  }
  const kept = new Set(standing.map(keyOf))
  const created = await insertRows(
    write,
    receiver,
    contents.filter((content) => !kept.has(keyOf(content))),
  )
  return created.length
}

export const replaceAssignments = (
  call: Call,
  tenantId: string,
  { assignments, ...principal }: ReplacePermissionAssignmentsRequestDto,
): Promise<void> =>
  writeAssignments(call, tenantId, async (write) => {
    const receiver = await receiverOf(write, principal)
    const contents = await readContents(write, receiver, assignments, inAssignments)
    checkNew(contents, [])
    await replaceRows(write, receiver, contents)
  })

/** Grants every permission of some presets. Returns the number of new rows. */
export const applyPresets = (
  call: Call,
  tenantId: string,
  { presetNames, replaceExisting, ...principal }: ApplyPresetsRequestDto,
): Promise<number> =>
  writeAssignments(call, tenantId, async (write) => {
    const receiver = await receiverOf(write, principal)
    const wanted = presetAssignments(presetNames, receiver, tenantId, write.app.clock.now())
    const contents = await readContents(write, receiver, wanted, () => 'presetNames')
    if (replaceExisting) {
      return replaceRows(write, receiver, contents)
    }
    const known = new Set((await standingRows(write, receiver, contents)).map(keyOf))
    const created = await insertRows(
      write,
      receiver,
      contents.filter((content) => !known.has(keyOf(content))),
    )
    return created.length
  })
