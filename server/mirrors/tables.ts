import type { WatchedTable } from '../database/touched.ts'
import type { Models } from '../models/index.ts'
import { reportedColumns } from './fleet/stored-device.ts'

/** Nothing of the table is held in memory. */
const notHeld = undefined

/**
 * What each table is to memory: the column by whose value a changed row is reported. A model that is missing here does not
 * compile. Columns under `except` are of no use to it, or only grow there.
 */
export const tables: Record<keyof Models, Omit<WatchedTable, 'table'> | typeof notHeld> = {
  AgentRelease: notHeld,
  AuthorizationChangeLog: notHeld,
  Batch: notHeld,
  BatchResult: notHeld,
  Chat: notHeld,
  Customer: { key: 'id' },
  Device: { key: 'id', followedByCaller: reportedColumns },
  DeviceEvidence: notHeld,
  DeviceGroup: notHeld,
  DeviceGroupMember: { key: 'deviceId' },
  DeviceLoad: notHeld,
  DeviceTag: { key: 'deviceId' },
  InstallerKey: notHeld,
  InstallerKeyUsage: notHeld,
  Invite: notHeld,
  LogonToken: notHeld,
  NetworkSettings: notHeld,
  PermissionAssignment: { key: 'principalId' },
  PersonalAccessToken: { key: 'id', except: ['lastUsed'] },
  RecoveryCode: notHeld,
  ReleaseKey: notHeld,
  ServerAlert: notHeld,
  ServerRun: notHeld,
  ServerState: notHeld,
  ServiceAccount: { key: 'id' },
  ServiceAccountCredential: { key: 'id', except: ['lastUsedAt'] },
  Session: { key: 'tokenHash', except: ['expiresAt'] },
  Tag: notHeld,
  Tenant: { key: 'id' },
  TenantSetting: notHeld,
  Terminal: { key: 'deviceId' },
  TlsIdentity: notHeld,
  TokenFamily: { key: 'id', except: ['generation', 'expiresAt'] },
  User: { key: 'id', except: ['lastLogin', 'failedSignIns', 'lockedUntil', 'lastTwoFactorStep'] },
  UserGroup: notHeld,
  UserGroupMember: { key: 'userId' },
  UserNotice: notHeld,
  UserPreference: notHeld,
  UserStorageItem: notHeld,
}
