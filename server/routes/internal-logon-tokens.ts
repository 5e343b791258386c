import { internalLogonTokens } from '../../shared/api/internal-logon-tokens.ts'
import { presentLogonToken } from '../presenters/logon-token.ts'
import { createOwnLogonToken } from '../services/credentials/logon-tokens.ts'
import { callerOf, implement } from './implement.ts'

export const internalLogonTokenRoutes = implement(internalLogonTokens, {
  create: async (context, { tenantId, body: { deviceId, ...options } }) => {
    const request = { caller: callerOf(context), tenantId, deviceId, options }
    return presentLogonToken(context.origin(), await createOwnLogonToken(context, request))
  },
})
