import { internalLogonTokens } from '../../shared/api/internal-logon-tokens.ts'
import { presentLogonToken } from '../presenters/logon-token.ts'
import { createOwnLogonToken } from '../services/credentials/logon-tokens.ts'
import { agentUrl } from '../services/network/addresses.ts'
import { implement } from './implement.ts'

export const internalLogonTokenRoutes = implement(internalLogonTokens, {
  create: async (call, { tenantId, device, body: { deviceId: _, ...options } }) => {
    const request = { tenantId, device, options }
    return presentLogonToken(agentUrl(call.app, call.origin()), await createOwnLogonToken(call, request))
  },
})
