import type { Sequelize } from 'sequelize'
import { defineAgentRelease } from './agent-release.ts'
import { defineAgentRollout } from './agent-rollout.ts'
import { defineAgentRolloutDevice } from './agent-rollout-device.ts'
import { defineAssignmentEnd } from './assignment-end.ts'
import { defineAuditCount } from './audit-count.ts'
import { defineAuditEvent } from './audit-event.ts'
import { defineAuditHead } from './audit-head.ts'
import { defineAuditStub } from './audit-stub.ts'
import { defineAuthorizationChangeLog } from './authorization-change-log.ts'
import { defineBackupState } from './backup-state.ts'
import { defineBatch } from './batch.ts'
import { defineBatchResult } from './batch-result.ts'
import { defineChat } from './chat.ts'
import { defineCustomer } from './customer.ts'
import { defineDevice } from './device.ts'
import { defineDeviceEvidence } from './device-evidence.ts'
import { defineDeviceGroup } from './device-group.ts'
import { defineDeviceGroupMember } from './device-group-member.ts'
import { defineDeviceLoad } from './device-load.ts'
import { defineDeviceNote } from './device-note.ts'
import { defineDeviceStar } from './device-star.ts'
import { defineDeviceView } from './device-view.ts'
import { defineTagColor } from './tag-color.ts'
import { defineCustomerContact } from './customer-contact.ts'
import { defineCustomerParent } from './customer-parent.ts'
import { defineDeviceTag } from './device-tag.ts'
import { defineExternalLogin } from './external-login.ts'
import { defineInstallerKey } from './installer-key.ts'
import { defineInstallerKeyPlacement } from './installer-key-placement.ts'
import { defineInstallerKeyUsage } from './installer-key-usage.ts'
import { defineInvite } from './invite.ts'
import { defineInviteTime } from './invite-time.ts'
import { defineLogonToken } from './logon-token.ts'
import { defineNetworkSettings } from './network-settings.ts'
import { definePasskey } from './passkey.ts'
import { definePermissionAssignment } from './permission-assignment.ts'
import { definePersonalAccessToken } from './personal-access-token.ts'
import { defineRecoveryCode } from './recovery-code.ts'
import { defineReleaseKey } from './release-key.ts'
import { defineServerAlert } from './server-alert.ts'
import { defineServerRun } from './server-run.ts'
import { defineServerSetting } from './server-setting.ts'
import { defineServerState } from './server-state.ts'
import { defineServiceAccount } from './service-account.ts'
import { defineServiceAccountCredential } from './service-account-credential.ts'
import { defineSession } from './session.ts'
import { defineTag } from './tag.ts'
import { defineTenant } from './tenant.ts'
import { defineTenantSetting } from './tenant-setting.ts'
import { defineTerminal } from './terminal.ts'
import { defineTlsIdentity } from './tls-identity.ts'
import { defineTokenFamily } from './token-family.ts'
import { defineUpdateRun } from './update-run.ts'
import { defineUpdateState } from './update-state.ts'
import { defineUser } from './user.ts'
import { defineUserGroup } from './user-group.ts'
import { defineUserGroupMember } from './user-group-member.ts'
import { defineUserNotice } from './user-notice.ts'
import { defineUserPreference } from './user-preference.ts'
import { defineUserStorageItem } from './user-storage-item.ts'

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
