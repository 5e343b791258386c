import type { Sequelize } from 'sequelize'
import { defineAgentRelease } from '../agents/tables.ts'
import { defineAgentRollout } from '../agents/tables.ts'
import { defineAgentRolloutDevice } from '../agents/tables.ts'
import { defineAssignmentEnd } from '../rights/tables.ts'
import { defineAuditCount } from '../audit/tables.ts'
import { defineAuditEvent } from '../audit/tables.ts'
import { defineAuditHead } from '../audit/tables.ts'
import { defineAuditStub } from '../audit/tables.ts'
import { defineAuthorizationChangeLog } from '../rights/tables.ts'
import { defineBackupState } from '../backup/tables.ts'
import { defineBatch } from '../batches/tables.ts'
import { defineBatchResult } from '../batches/tables.ts'
import { defineChat } from '../remote/tables.ts'
import { defineCustomer } from '../organization/tables.ts'
import { defineDevice } from '../devices/tables.ts'
import { defineDeviceEvidence } from '../devices/tables.ts'
import { defineDeviceGroup } from '../organization/tables.ts'
import { defineDeviceGroupMember } from '../organization/tables.ts'
import { defineDeviceLoad } from '../devices/tables.ts'
import { defineDeviceNote } from '../devices/tables.ts'
import { defineDeviceStar } from '../fleet/tables.ts'
import { defineDeviceView } from '../fleet/tables.ts'
import { defineTagColor } from '../devices/tables.ts'
import { defineCustomerContact } from '../organization/tables.ts'
import { defineCustomerParent } from '../organization/tables.ts'
import { defineDeviceTag } from '../devices/tables.ts'
import { defineExternalLogin } from '../providers/tables.ts'
import { defineInstallerKey } from '../agents/tables.ts'
import { defineInstallerKeyPlacement } from '../agents/tables.ts'
import { defineInstallerKeyUsage } from '../agents/tables.ts'
import { defineInvite } from '../people/tables.ts'
import { defineInviteTime } from '../people/tables.ts'
import { defineLogonToken } from '../credentials/tables.ts'
import { defineNetworkSettings } from '../network/tables.ts'
import { definePasskey } from '../identity/tables.ts'
import { definePermissionAssignment } from '../rights/tables.ts'
import { definePersonalAccessToken } from '../credentials/tables.ts'
import { defineRecoveryCode } from '../identity/tables.ts'
import { defineReleaseKey } from '../agents/tables.ts'
import { defineServerAlert } from '../settings/tables.ts'
import { defineServerRun } from '../health/tables.ts'
import { defineServerSetting } from '../settings/tables.ts'
import { defineServerState } from '../health/tables.ts'
import { defineServiceAccount } from '../credentials/tables.ts'
import { defineServiceAccountCredential } from '../credentials/tables.ts'
import { defineSession } from '../identity/tables.ts'
import { defineTag } from '../devices/tables.ts'
import { defineTenant } from '../organization/tables.ts'
import { defineTenantSetting } from '../organization/tables.ts'
import { defineTerminal } from '../remote/tables.ts'
import { defineTlsIdentity } from '../network/tables.ts'
import { defineTokenFamily } from '../identity/tables.ts'
import { defineUpdateRun } from '../updates/tables.ts'
import { defineUpdateState } from '../updates/tables.ts'
import { defineUser } from '../people/tables.ts'
import { defineUserGroup } from '../organization/tables.ts'
import { defineUserGroupMember } from '../organization/tables.ts'
import { defineUserNotice } from '../people/tables.ts'
import { defineUserPreference } from '../people/tables.ts'
import { defineUserStorageItem } from '../people/tables.ts'

/** Makes all models on one database; several databases can be open in one process. */
export const bindModels = (sequelize: Sequelize) => ({
  AgentRelease: defineAgentRelease(sequelize),
  AgentRollout: defineAgentRollout(sequelize),
  AgentRolloutDevice: defineAgentRolloutDevice(sequelize),
  AssignmentEnd: defineAssignmentEnd(sequelize),
  AuditCount: defineAuditCount(sequelize),
  AuditEvent: defineAuditEvent(sequelize),
  AuditHead: defineAuditHead(sequelize),
  AuditStub: defineAuditStub(sequelize),
  AuthorizationChangeLog: defineAuthorizationChangeLog(sequelize),
  BackupState: defineBackupState(sequelize),
  Batch: defineBatch(sequelize),
  BatchResult: defineBatchResult(sequelize),
  Chat: defineChat(sequelize),
  Customer: defineCustomer(sequelize),
  Device: defineDevice(sequelize),
  DeviceEvidence: defineDeviceEvidence(sequelize),
  DeviceGroup: defineDeviceGroup(sequelize),
  DeviceGroupMember: defineDeviceGroupMember(sequelize),
  DeviceLoad: defineDeviceLoad(sequelize),
  DeviceNote: defineDeviceNote(sequelize),
  DeviceStar: defineDeviceStar(sequelize),
  DeviceView: defineDeviceView(sequelize),
  TagColor: defineTagColor(sequelize),
  CustomerContact: defineCustomerContact(sequelize),
  CustomerParent: defineCustomerParent(sequelize),
  DeviceTag: defineDeviceTag(sequelize),
  ExternalLogin: defineExternalLogin(sequelize),
  InstallerKey: defineInstallerKey(sequelize),
  InstallerKeyPlacement: defineInstallerKeyPlacement(sequelize),
  InstallerKeyUsage: defineInstallerKeyUsage(sequelize),
  Invite: defineInvite(sequelize),
  InviteTime: defineInviteTime(sequelize),
  LogonToken: defineLogonToken(sequelize),
  NetworkSettings: defineNetworkSettings(sequelize),
  Passkey: definePasskey(sequelize),
  PermissionAssignment: definePermissionAssignment(sequelize),
  PersonalAccessToken: definePersonalAccessToken(sequelize),
  RecoveryCode: defineRecoveryCode(sequelize),
  ReleaseKey: defineReleaseKey(sequelize),
  ServerAlert: defineServerAlert(sequelize),
  ServerRun: defineServerRun(sequelize),
  ServerSetting: defineServerSetting(sequelize),
  ServerState: defineServerState(sequelize),
  ServiceAccount: defineServiceAccount(sequelize),
  ServiceAccountCredential: defineServiceAccountCredential(sequelize),
  Session: defineSession(sequelize),
  Tag: defineTag(sequelize),
  Tenant: defineTenant(sequelize),
  TenantSetting: defineTenantSetting(sequelize),
  Terminal: defineTerminal(sequelize),
  TlsIdentity: defineTlsIdentity(sequelize),
  TokenFamily: defineTokenFamily(sequelize),
  UpdateRun: defineUpdateRun(sequelize),
  UpdateState: defineUpdateState(sequelize),
  User: defineUser(sequelize),
  UserGroup: defineUserGroup(sequelize),
  UserGroupMember: defineUserGroupMember(sequelize),
  UserNotice: defineUserNotice(sequelize),
  UserPreference: defineUserPreference(sequelize),
  UserStorageItem: defineUserStorageItem(sequelize),
})
export type Models = ReturnType<typeof bindModels>
