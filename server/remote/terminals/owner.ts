import { principalOf } from '../../credentials/cookie.ts'
import type { App } from '../../call/call.ts'
import { standsLink } from '../../credentials/link-rights.ts'
import { asUser, type Principal } from '../../ground/principal.ts'

/** Credential of a person who may come back with any other one. */
const ended = { credential: { kind: 'BearerToken', familyId: '' }, isLive: () => false, use: () => false } as const

const readers: Record<string, (app: App, id: string) => Principal | undefined> = {
  User({ accounts }, id) {
    const account = accounts.get(id)
    return account && { ...asUser(account), ...ended }
  },
  ServiceAccount: ({ apiKeys }, id) => apiKeys.principalOfHolder(id),
  PersonalAccessToken: ({ personalAccessTokens }, id) => personalAccessTokens.principalOf(id),
  LogonToken(app, id) {
    const session = app.sessions.withGrant(id)
    return session && principalOf(app, session, { standsLink: (link) => standsLink(app, link) })
  },
}

/** Principal of an owner key (`ownerOf`) with its current rights; undefined if it can no longer act. */
export function terminalOwner(app: App, owner: string): Principal | undefined {
  const [kind = '', id = ''] = owner.split(' ')
  return readers[kind]?.(app, id)
}
