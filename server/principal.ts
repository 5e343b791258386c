/** The credential that a principal was found from. A session is named by the hash of its token. */
export type Credential =
  | { kind: 'Session'; sessionId: string }
  | { kind: 'BearerToken'; familyId: string }
  | {
      kind: 'LogonToken'
      id: string
      deviceId: string
      allowedDesktopSessionIds: readonly number[] | null
      /** What the system that made the token calls the visit. */
      correlationId?: string | null
      sessionId: string
      /** The session's token, on the one request that used up the logon token. */
      cookie?: string
      /** With which the page of a browser claims the session; on that request, too. */
      claim?: string
    }
  | { kind: 'PersonalAccessToken'; id: string; mode: 'Restricted' | 'InheritOwner' }
  | { kind: 'ServiceAccountCredential'; id: string }

/** Who asks. */
export interface Principal {
  /** A token acts for a user: it is a user with another credential. */
  kind: 'User' | 'ServiceAccount'
  /** Of the user or the service account. */
  id: string
  /** Null for a server service account, which names the tenant in each request. */
  tenantId: string | null
  /** User or account name, shown to people. */
  name: string
  /** An unrestricted server service account: no rule applies to it. */
  isUnrestricted: boolean
  credential: Credential
  /** The restricted token that made the credential: it can do no more than that one. */
  madeWith?: string | null
  /** Whether the credential still works. */
  isLive(): boolean
  /** The same, and counts as use: a session that is used lives on. */
  use(): boolean
}

/** The same person with another kind of credential, or with another token, has other rights: that is somebody else (T28). */
export const identityOf = ({ kind, id, credential }: Principal): string =>
  JSON.stringify([kind, id, credential.kind, 'id' in credential ? credential.id : null])

/** A token that has rights of its own, and is not its user. */
export const isTokenOfItsOwn = ({ credential }: Principal): boolean =>
  credential.kind === 'LogonToken' || (credential.kind === 'PersonalAccessToken' && credential.mode === 'Restricted')

/** Whom something belongs to: a user, however signed in, or an account; a token with rights of its own is somebody else. */
export const ownerOf = (principal: Principal): string => {
  const { kind, id, credential } = principal
  return isTokenOfItsOwn(principal) && 'id' in credential ? `${credential.kind} ${credential.id}` : `${kind} ${id}`
}

/** A user as every credential that acts for it finds it. */
export const asUser = ({ id, tenantId, userName }: { id: string; tenantId: string; userName: string }) =>
  ({ kind: 'User', id, tenantId, name: userName, isUnrestricted: false }) as const
