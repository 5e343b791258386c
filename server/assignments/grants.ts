import type { ScopeKind } from '../../shared/access.ts'
import { maxGrantedRows, type ChangeGrantsDto, type GrantRightsDto } from '../../shared/api/appliance-rights.ts'
import type { UpdatePermissionAssignmentRequestDto } from '../../shared/api/permission-assignments.ts'
import type { ScopeDevicesDto } from '../../shared/dtos/rights.ts'
import { isDeviceRole, roles, roleScopes, type RoleName } from '../../shared/roles.ts'
import type { App, Call } from '../call/call.ts'
import { invalid } from '../ground/errors.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { permittedDevices } from '../fleet/rights.ts'
import { checkTaking, keyOf, readContents } from './assignment-checks.ts'
import { findResources } from './assignment-targets.ts'
import { changeRow, insertRows, writeAssignments, type Write } from './assignment-writes.ts'
import { findRow, receiverOf, standingRows } from './assignments.ts'
import { presetAssignments } from './presets.ts'

type Scope = GrantRightsDto['scopes'][number]
type Wanted = UpdatePermissionAssignmentRequestDto

/** Reads an end; throws 400 for an end in the past. */
function readEnd({ clock }: App, endsAt: string | null | undefined): number | null {
  if (endsAt == null) {
    return null
  }
  const end = Date.parse(endsAt)
  if (end <= clock.now()) {
    throw invalid({ endsAt: ['must be in the future'] })
  }
  return end
}

/** Assignments of a role at a scope. Roles that manage place each permission where it counts: tenant or server. */
function ofRole(
  role: RoleName,
  { scopeKind, scopeId }: Scope,
  tenantId: string,
): Omit<Wanted, 'effect' | 'isEnabled'>[] {
  if (!roleScopes(role).includes(scopeKind)) {
    throw invalid({ scopes: [`cannot be ${scopeKind} for ${roles[role].title}`] })
  }
  return isDeviceRole(role)
    ? roles[role].permissions.map((permissionName) => ({ permissionName, scopeKind, scopeId }))
    : presetAssignments([role], { kind: 'User', id: '' }, tenantId, 0)
}

function wantedRows(tenantId: string, { role, permissions: names = [], scopes, ...body }: GrantRightsDto): Wanted[] {
  const rows = scopes.flatMap((scope) => [
    ...(role === undefined ? [] : ofRole(role, scope, tenantId)),
    ...names.map((permissionName) => ({ permissionName, ...scope })),
  ])
  const { effect, isEnabled, notes } = body
  return rows.map(({ permissionName, scopeKind, scopeId }) => ({
    permissionName,
    scopeKind,
    scopeId,
    effect,
    isEnabled,
    notes,
  }))
}

/** Gives rights to several principals; all or nothing. Returns the ids of the new assignments. */
export const grantRights = (call: Call, tenantId: string, body: GrantRightsDto): Promise<string[]> =>
  writeAssignments(call, tenantId, (write) => grantIn(write, body))

export async function grantIn(write: Write, body: GrantRightsDto): Promise<string[]> {
  const wanted = wantedRows(write.tenantId, body)
  if (wanted.length * body.principals.length > maxGrantedRows) {
    throw invalid({ principals: [`times scopes times permissions must be at most ${maxGrantedRows} assignments`] })
  }
  const endsAt = readEnd(write.app, body.endsAt)
  const fieldOf = (_: number, member: string) => (member.startsWith('scope') ? 'scopes' : member)
  const created: string[] = []
  for (const one of body.principals) {
    const receiver = await receiverOf(write, one)
    const read = await readContents(write, receiver, wanted, fieldOf)
    // A request may name a scope twice, and a permission beside a role that has it.
    const contents = [...new Map(read.map((content) => [keyOf(content), content])).values()]
    const options = { endsAt, replacesDisabled: body.isEnabled }
    const standing = new Set((await standingRows(write, receiver, contents, options)).map(keyOf))
    const missing = contents.filter((content) => !standing.has(keyOf(content)))
    created.push(...(await insertRows(write, receiver, missing, endsAt)).map(({ id }) => id))
  }
  return created
}

/** Switches assignments on or off, or sets their end. Throws 404 if one of them is unknown to the caller. */
export async function changeGrants(
  call: Call,
  tenantId: string,
  { assignmentIds, endsAt, isEnabled }: ChangeGrantsDto,
): Promise<void> {
  const end = endsAt === undefined ? undefined : readEnd(call.app, endsAt)
  await writeAssignments(call, tenantId, async (write) => {
    for (const id of new Set(assignmentIds)) {
      const { row, receiver } = await findRow(write, id)
      await checkTaking(write, receiver.holder, [row])
      const wanted = { ...row, isEnabled: isEnabled ?? row.isEnabled }
      const [content] = await readContents(write, receiver, [wanted], (_, member) => member)
      await changeRow(write, row, { ...content!, ...(end !== undefined && { endsAt: end }) })
    }
  })
}

/** Tests whether a device is within a scope. */
function isWithin(tenantId: string, kind: ScopeKind, id: string | null): (device: DeviceState) => boolean {
  switch (kind) {
    case 'Server':
      return () => true
    case 'Tenant':
      return (device) => device.tenantId === tenantId
    case 'CustomerTenant':
      return (device) => device.customerId === id
    case 'DeviceGroup':
      return (device) => id !== null && device.groupIds.includes(id)
    case 'Device':
      return (device) => device.id === id
    case 'UserGroup':
      return () => false
  }
}

const namesShown = 10

/** Devices within a scope, among those that the caller may read. */
export async function devicesWithin(
  { app, principal }: Call,
  tenantId: string,
  scopeKind: ScopeKind,
  scopeId: string | null,
): Promise<ScopeDevicesDto> {
  const scope = { scopeKind, scopeId }
  if (!(await findResources(app, tenantId, [scope]))(scope)) {
    throw invalid({ scopeId: [`names no ${scopeKind} of this tenant`] })
  }
  const isIn = isWithin(tenantId, scopeKind, scopeId)
  const names: string[] = []
  let count = 0
  let online = 0
  for (const device of permittedDevices(app, principal, 'device.read', 'readable')) {
    if (isIn(device)) {
      count++
      online += device.connectionId === '' ? 0 : 1
      if (names.length < namesShown) {
        names.push(device.alias || device.name)
      }
    }
  }
  return { count, online, names }
}
