export type TargetType =
  | 'Customer'
  | 'DeviceGroup'
  | 'UserGroup'
  | 'User'
  | 'PermissionAssignment'
  | 'PersonalAccessToken'
  | 'LogonToken'
  | 'ServiceAccount'
  | 'ServiceAccountCredential'
  | 'Server'

type Subject = 'permission-assignment' | 'customer' | 'device-group' | 'user-group' | 'service-account'

export type ActionType =
  | `${Subject}-${'created' | 'updated' | 'deleted'}`
  | 'permission-assignments-seeded'
  | 'customer-devices-assigned'
  | `${'device-group' | 'user-group'}-members-${'added' | 'removed'}`
  | `service-account-credential-${'created' | 'revoked' | 'deleted'}`
  | `network-${'settings' | 'certificate'}-updated`
  | 'user-deleted'
  | 'user-disabled'
  | 'user-enabled'
  | 'user-other-ways-in-removed'
  | 'user-password-reset'
  | 'user-two-factor-disabled'
  | `credential-scope-${'set' | 'removed'}`

/** Target id of changes that concern the whole server. */
export const serverTarget = '00000000-0000-0000-0000-000000000001'

export interface Change {
  actionType: ActionType
  targetType: TargetType
  targetId: string
  /** Null for changes of the server. */
  tenantId: string | null
  /** State before and after, without secrets; undefined where no state exists. */
  before?: unknown
  after?: unknown
}
