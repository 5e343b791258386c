import { QueryTypes, type Transaction } from 'sequelize'
import type { AuditKind } from '../../shared/audit-kinds.ts'
import type { AuditEvent, AuditTarget } from '../audit/event.ts'
import type { App, Call } from '../call/call.ts'
import type { Change, TargetType } from './change.ts'

const targetKinds: Record<TargetType, AuditTarget['kind']> = {
  Customer: 'customer',
  DeviceGroup: 'group',
  UserGroup: 'group',
  User: 'user',
  PermissionAssignment: 'rights',
  PersonalAccessToken: 'token',
  LogonToken: 'token',
  ServiceAccount: 'service-account',
  ServiceAccountCredential: 'key',
  Server: 'setting',
}

function kindOf({ actionType, targetType }: Change): AuditKind {
  if (actionType === 'credential-scope-set') {
    return targetType === 'LogonToken' ? 'credential.logon-token-created' : 'credential.token-created'
  }
  if (actionType === 'credential-scope-removed') {
    return targetType === 'LogonToken' ? 'credential.logon-token-ended' : 'credential.token-deleted'
  }
  return `change.${actionType}`
}

const tablesWithNames = ['service_accounts', 'user_groups', 'device_groups', 'customers', 'personal_access_tokens']

const nameSql = [
  'SELECT userName AS name FROM users WHERE id = :id',
  ...tablesWithNames.map((table) => `SELECT name FROM ${table} WHERE id = :id`),
].join(' UNION ALL ')

/** Name of a principal, group, customer or token; null for a deleted one. */
async function nameOf({ database }: App, transaction: Transaction, id: string): Promise<string | null> {
  const [row] = await database.sequelize.query<{ name: string }>(nameSql, {
    type: QueryTypes.SELECT,
    replacements: { id },
    transaction,
  })
  return row?.name ?? null
}

type State = Readonly<Record<string, unknown>>

const textIn = (state: State, name: string) => (typeof state[name] === 'string' ? state[name] : undefined)

/** Writes changes of rights, groups, accounts and keys into the audit log; states before and after stay in their log. */
export async function auditChanges(
  { app, actor }: Pick<Call, 'app' | 'actor'>,
  transaction: Transaction,
  changes: readonly Change[],
): Promise<void> {
  const names = new Map<string, string | null>()
  const events: AuditEvent[] = []
  for (const change of changes) {
    const state = (change.after ?? change.before ?? {}) as State
    const principalId = change.targetType === 'PermissionAssignment' ? textIn(state, 'principalId') : undefined
    const id = principalId ?? change.targetId
    if (!names.has(id)) {
      const known = principalId ? undefined : (textIn(state, 'name') ?? textIn(state, 'userName'))
      names.set(id, known ?? (await nameOf(app, transaction, id)))
    }
    const deviceId = change.targetType === 'LogonToken' ? textIn(state, 'deviceId') : undefined
    events.push({
      kind: kindOf(change),
      tenantId: change.tenantId,
      target: { kind: targetKinds[change.targetType], id, name: names.get(id) ?? null },
      ...(deviceId && { device: app.fleet.get(deviceId) }),
      ...(principalId && {
        details: {
          permission: textIn(state, 'permissionName'),
          effect: textIn(state, 'effect'),
          scope: textIn(state, 'scopeKind'),
          scopeId: textIn(state, 'scopeId'),
          endsAt: textIn(state, 'endsAt'),
        },
      }),
    })
  }
  await app.audit.recordIn(transaction, actor, events)
}
