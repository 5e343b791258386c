import { z } from 'zod'
import { dateTime, id } from '../contract/fields.ts'

const json = z.string().nullable().meta({ description: 'JSON text; null where there was nothing.' })

/** Who changed whose rights, and how. */
export const AuthorizationChangeLogResponseDto = z
  .object({
    id,
    actionType: z.string(),
    actorPrincipalType: z.enum(['user', 'service-account', 'system']),
    actorPrincipalId: id.nullable().meta({ description: 'Null for the server itself.' }),
    targetType: z.string(),
    targetId: id,
    owningTenantId: id.nullable().meta({ description: 'Null for what belongs to no tenant.' }),
    ipAddress: z.string().nullable(),
    createdAt: dateTime,
    beforeJson: json,
    afterJson: json,
  })
  .meta({ id: 'AuthorizationChangeLogResponseDto' })
export type AuthorizationChangeLogResponseDto = z.output<typeof AuthorizationChangeLogResponseDto>
