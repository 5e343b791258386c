/** The credential that a principal was found from. A session is named by the hash of its token. */
export type Credential =
  | { kind: 'Session'; sessionId: string }
  | { kind: 'BearerToken'; familyId: string }
  | {
      kind: 'LogonToken'
      id: string
      deviceId: string
      allowedDesktopSessionIds: readonly number[] | null
      sessionId: string
      /** The session's token, on the one request that used up the logon token. */
      cookie?: string
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
