import { logonTokens } from '../../shared/api/logon-tokens.ts'
import { presentLogonToken } from '../presenters/logon-token.ts'
import { createExternalLogonToken, createUserLogonToken } from '../services/credentials/logon-tokens.ts'
import { callerOf, implement } from './implement.ts'

export const logonTokenRoutes = implement(logonTokens, {
  createForUser: async (context, { tenantId, body: { deviceId, userId, ...options } }) => {
    const request = { caller: callerOf(context), tenantId, deviceId, options, userId }
    return presentLogonToken(context.origin(), await createUserLogonToken(context, request))
  },
  createForExternalUser: async (context, { tenantId, body }) => {
    const { deviceId, userCorrelationId, userDisplayName, ...options } = body
    const request = { caller: callerOf(context), tenantId, deviceId, options, userCorrelationId, userDisplayName }
    return presentLogonToken(context.origin(), await createExternalLogonToken(context, request))
  },
})
