import type { WatchedTable } from '../database/touched.ts'
import type { Models } from '../models/index.ts'
import { reportedColumns } from './fleet/stored-device.ts'

/** A table without a mirror. */
const notMirrored = undefined

/**
 * The mirrored tables: the column whose value identifies a changed row. A missing model does not compile. Columns under
 * `except` are ignored by the mirror, or only grow there.
 */
export const tables: Record<keyof Models, Omit<WatchedTable, 'table'> | typeof notMirrored> = {
  AgentRelease: notMirrored,
  AssignmentEnd: { key: 'principalId' },
  AuditCount: notMirrored,
  AuditEvent: notMirrored,
  AuditHead: notMirrored,
  AuditStub: notMirrored,
  AuthorizationChangeLog: notMirrored,
  BackupState: notMirrored,
  Batch: notMirrored,
  BatchResult: notMirrored,
  Chat: notMirrored,
  Customer: { key: 'id' },
  Device: { key: 'id', followedByCaller: reportedColumns },
  DeviceEvidence: notMirrored,
  DeviceGroup: notMirrored,
  DeviceGroupMember: { key: 'deviceId' },
  DeviceLoad: notMirrored,
  DeviceNote: notMirrored,
  DeviceStar: notMirrored,
  DeviceView: notMirrored,
  TagColor: notMirrored,
  CustomerContact: notMirrored,
  CustomerParent: notMirrored,
  DeviceTag: { key: 'deviceId' },
  ExternalLogin: notMirrored,
  InstallerKey: notMirrored,
  InstallerKeyPlacement: notMirrored,
  InstallerKeyUsage: notMirrored,
  Invite: notMirrored,
  LogonToken: notMirrored,
  NetworkSettings: notMirrored,
  Passkey: notMirrored,
  PermissionAssignment: { key: 'principalId' },
  PersonalAccessToken: { key: 'id', except: ['lastUsed'] },
  RecoveryCode: notMirrored,
  ReleaseKey: notMirrored,
  ServerAlert: notMirrored,
  ServerRun: notMirrored,
  ServerSetting: notMirrored,
  ServerState: notMirrored,
  ServiceAccount: { key: 'id' },
  ServiceAccountCredential: { key: 'id', except: ['lastUsedAt'] },
  Session: { key: 'tokenHash', except: ['expiresAt'] },
  Tag: { key: 'id' },
  Tenant: { key: 'id' },
  TenantSetting: notMirrored,
  Terminal: { key: 'deviceId' },
  TlsIdentity: notMirrored,
  TokenFamily: { key: 'id', except: ['generation', 'expiresAt'] },
  User: { key: 'id', except: ['lastLogin', 'failedSignIns', 'lockedUntil', 'lastTwoFactorStep'] },
  UserGroup: notMirrored,
  UserGroupMember: { key: 'userId' },
  UserNotice: notMirrored,
  UserPreference: notMirrored,
  UserStorageItem: notMirrored,
}
