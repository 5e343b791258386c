import { z } from 'zod'
import { dateTime, dto, id, ownId, textOrNull } from '../contract/fields.ts'

const json = textOrNull.describe('JSON text; null where there was nothing.')

/** A change of rights: actor, receiver and change. */
export const AuthorizationChangeLogResponseDto = dto('AuthorizationChangeLogResponseDto', {
  id: ownId,
  actionType: z
    .string()
    .describe(
      'What was done, such as `permission-assignment-created`, `user-group-members-added` or `service-account-credential-revoked`.',
    ),
  actorPrincipalType: z
    .enum(['user', 'service-account', 'system'])
    .describe('Kind of the actor; `system` is the server itself.'),
  actorPrincipalId: id.nullable().describe('Null for the server itself.'),
  targetType: z
    .string()
    .describe('Kind of the thing that changed, such as `PermissionAssignment`, `UserGroup` or `Server`.'),
  targetId: id.describe('The thing that changed; `00000000-0000-0000-0000-000000000001` for the server.'),
  owningTenantId: id.nullable().describe('Null for what belongs to no tenant.'),
  ipAddress: textOrNull.describe('Address that the request came from; null for changes by the server itself.'),
  createdAt: dateTime.describe('When the change was made.'),
  beforeJson: json,
  afterJson: json,
})
export type AuthorizationChangeLogResponseDto = z.output<typeof AuthorizationChangeLogResponseDto>
