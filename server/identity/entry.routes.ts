import { applianceEntry } from '../../shared/api/appliance-entry.ts'
import { installation } from '../engines/process/installation.ts'
import { instant } from '../ground/instant.ts'
import { resendConfirmation } from './account-mail.ts'
import { lookUpInvitation } from '../membership/acceptance.ts'
import { nameOfCaller } from '../people/names.ts'
import { disableTwoFactorOf } from '../membership/user-administration.ts'
import { implement } from '../surface/implement.ts'

export const applianceEntryRoutes = implement(applianceEntry, {
  help: ({ app }) => ({
    sendsMail: app.mail.isOn,
    hasWindow: installation.hasWindow,
    command: `${installation.program} account`,
    now: instant(app.clock.now()),
  }),
  resendConfirmation: (call, { body }) => resendConfirmation(call, body.email),
  invitation: async (call, { body }) => {
    const { state, email, organizationName, expiresAt } = await lookUpInvitation(call, body.activationCode)
    return {
      state,
      email: email ?? null,
      organizationName: organizationName ?? null,
      expiresAt: expiresAt === undefined ? null : instant(expiresAt),
    }
  },
  disableTwoFactor: (call, { tenantId, params }) => disableTwoFactorOf(call, tenantId, params.userId),
  guest: async (call) => {
    const session = call.cookieSession()
    if (!session?.grant) {
      return { guest: null }
    }
    const { deviceId, allowedDesktopSessionIds } = session.grant
    const displayName = nameOfCaller(call)
    const desktopSessionIds = allowedDesktopSessionIds?.slice() ?? null
    return { guest: { displayName, deviceId, desktopSessionIds, expiresAt: instant(session.expiresAt) } }
  },
})
