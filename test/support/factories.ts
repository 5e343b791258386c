import { randomUUID } from 'node:crypto'
import { simulatedReport } from '../../tools/simulate/facts.ts'
import type { InstallerKeyRow } from '../../server/agents/tables.ts'
import type { DeviceRow } from '../../server/fleet/tables.ts'
import type { UserRow } from '../../server/people/tables.ts'
import type { PermissionAssignmentRow } from '../../server/rights/tables.ts'
import type { Rule } from '../../server/rights/rule-mirror.ts'

/** Builds a device row of a tenant with defaults for all other columns. */
export const buildDevice = (changes: Partial<DeviceRow> & { tenantId: string }, index = 0): DeviceRow => ({
  id: randomUUID(),
  createdAt: Date.UTC(2026, 0, 1) + index,
  lastSeen: Date.UTC(2026, 0, 1),
  alias: null,
  publicKey: null,
  publicIpV4: '198.51.100.7',
  publicIpV6: '',
  customerId: null,
  newestUpdate: null,
  agentMake: null,
  connectionId: '',
  ...simulatedReport(index),
  ...changes,
})

export const buildAssignment = (
  changes: Partial<PermissionAssignmentRow> &
    Pick<PermissionAssignmentRow, 'principalId' | 'permissionName' | 'scopeKind' | 'scopeId'>,
): PermissionAssignmentRow => ({
  id: randomUUID(),
  owningTenantId: null,
  principalKind: 'User',
  effect: 'Allow',
  notes: null,
  isEnabled: true,
  createdAt: Date.UTC(2026, 0, 1),
  madeWith: null,
  ...changes,
})

/** Builds a row of an installer key that nobody can use. */
export const buildInstallerKey = (
  changes: Pick<InstallerKeyRow, 'tenantId' | 'creatorId'> & Partial<InstallerKeyRow>,
): InstallerKeyRow => ({
  id: randomUUID(),
  creatorKind: 'User',
  keyType: 'Persistent',
  secretHash: '',
  friendlyName: null,
  allowedUses: null,
  expiration: null,
  createdAt: Date.UTC(2026, 0, 1),
  isForNewDevices: false,
  madeWith: null,
  ...changes,
})

export const buildRule = (changes: Partial<Rule> = {}): Rule => ({
  permissionName: 'device.read',
  effect: 'Allow',
  scopeKind: 'Tenant',
  scopeId: 'tenant-1',
  isEnabled: true,
  ...changes,
})

/** Builds a user row of a tenant, without a usable password. */
export const buildUser = (changes: Partial<UserRow> & { tenantId: string }): UserRow => {
  const id = changes.id ?? randomUUID()
  return {
    id,
    accountType: 'Interactive',
    userName: `${id}@example.org`,
    email: `${id}@example.org`,
    isEmailConfirmed: false,
    passwordHash: null,
    isPasswordChangeRequired: false,
    securityStamp: randomUUID(),
    twoFactorSecret: null,
    isTwoFactorEnabled: false,
    lastTwoFactorStep: null,
    createdAt: Date.UTC(2026, 0, 1),
    lastLogin: null,
    failedSignIns: 0,
    lockedUntil: null,
    disabledAt: null,
    acceptedCodeHash: null,
    guestName: null,
    isUnproven: false,
    makerId: null,
    ...changes,
  }
}
