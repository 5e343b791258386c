import { logonTokens } from '../../shared/api/logon-tokens.ts'
import { agentUrl } from '../services/network/addresses.ts'
import { presentLogonToken } from '../presenters/logon-token.ts'
import { createExternalLogonToken, createUserLogonToken } from '../services/credentials/logon-tokens.ts'
import { implement } from './implement.ts'

export const logonTokenRoutes = implement(logonTokens, {
  createForUser: async (call, { tenantId, device, body: { deviceId: _, userId, ...options } }) => {
    const request = { tenantId, device, options, userId }
    return presentLogonToken(agentUrl(call.app, call.origin()), await createUserLogonToken(call, request))
  },
  createForExternalUser: async (call, { tenantId, device, body }) => {
    const { deviceId: _, userCorrelationId, userDisplayName, ...options } = body
    const request = { tenantId, device, options, userCorrelationId, userDisplayName }
    return presentLogonToken(agentUrl(call.app, call.origin()), await createExternalLogonToken(call, request))
  },
})
