import { applianceShares } from '../../shared/api/appliance-shares.ts'
import { internalLogonTokens } from '../../shared/api/internal-logon-tokens.ts'
import { logonTokens } from '../../shared/api/logon-tokens.ts'
import { implement } from '../surface/implement.ts'
import { agentUrl } from '../network/addresses.ts'
import { createExternalLogonToken, createOwnLogonToken, createUserLogonToken } from './logon-tokens.ts'
import { presentLogonToken } from './present.ts'
import { endShare, listShares } from './shares.ts'

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

export const internalLogonTokenRoutes = implement(internalLogonTokens, {
  create: async (call, { tenantId, device, body: { deviceId: _, ...options } }) => {
    const request = { tenantId, device, options }
    return presentLogonToken(agentUrl(call.app, call.origin()), await createOwnLogonToken(call, request))
  },
})

export const applianceShareRoutes = implement(applianceShares, {
  list: async (call, { devices, query }) => ({ items: await listShares(call, devices, query.deviceId) }),
  end: (call, { params }) => endShare(call, params.shareId),
})
