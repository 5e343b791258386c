/** Account that made something which acts later. */
export interface Maker {
  makerKind: 'User' | 'ServiceAccount'
  makerId: string
}

/** Credential of a principal. A session is identified by the hash of its token. */
export type Credential =
  | { kind: 'Session'; sessionId: string }
  | { kind: 'BearerToken'; familyId: string }
  | ({
      kind: 'LogonToken'
      id: string
      deviceId: string
      allowedDesktopSessionIds: readonly number[] | null
      /** Correlation id of the system that made the token. */
      correlationId?: string | null
      sessionId: string
      /** The session's token, on the one request that consumed the logon token. */
      cookie?: string
    } & Maker)
  | { kind: 'PersonalAccessToken'; id: string; mode: 'Restricted' | 'InheritOwner' }
  | { kind: 'ServiceAccountCredential'; id: string }

/** An authenticated caller. */
export interface Principal {
  /** A token acts for a user: it is a user with another credential. */
  kind: 'User' | 'ServiceAccount'
  /** Id of the user or the service account. */
  id: string
  /** Null for a server service account, which names the tenant in each request. */
  tenantId: string | null
  name: string
  /** Display name of an external user, whose `name` is the id of another system. */
  guestName?: string | null
  /** Name of the account that made the link by which the caller acts in the name of another user. */
  linkMaker?: string | null
  /** True for an unrestricted server service account: no rule applies to it. */
  isUnrestricted: boolean
  credential: Credential
  /** The restricted token that made the credential, whose rights limit it. */
  madeWith?: string | null
  /** True while the credential works. */
  isLive(): boolean
  /** Same as `isLive`, but counts as a use: it prolongs a session. */
  use(): boolean
}

/**
 * Identity key of a principal. Another kind of credential, or another token, has other rights and so is another
 * identity (T28).
 */
export const identityOf = ({ kind, id, credential }: Principal): string =>
  JSON.stringify([kind, id, credential.kind, 'id' in credential ? credential.id : null])

/** True for a token with separate rights, which does not count as its user. */
export const isTokenOfItsOwn = ({ credential }: Principal): boolean =>
  credential.kind === 'LogonToken' || (credential.kind === 'PersonalAccessToken' && credential.mode === 'Restricted')

/** True for whoever came by a link. */
export const isByLink = ({ credential }: Pick<Principal, 'credential'>): boolean => credential.kind === 'LogonToken'

/** Owner key: a user, however signed in, or an account; a token with separate rights is another owner. */
export const ownerOf = (principal: Principal): string => {
  const { kind, id, credential } = principal
  return isTokenOfItsOwn(principal) && 'id' in credential ? `${credential.kind} ${credential.id}` : `${kind} ${id}`
}

/**
 * Account whose limits a link uses: its maker, who may make any number in the names of others. People whom a program lets
 * in have a place each beside their own: one of them does not decide for the others (T44).
 */
export const accountOfLink = ({ makerKind, makerId }: Maker, userId: string): string =>
  makerKind === 'User' ? makerId : `${makerId} ${userId}`

/** Account whose limits a principal uses, whatever its credential: more tokens must not raise them (T44). */
export const accountOf = ({ id, credential }: Pick<Principal, 'id' | 'credential'>): string =>
  credential.kind === 'LogonToken' ? accountOfLink(credential, id) : id

/** Key of the memory that requests of a principal take: guests have a place beside that of the maker of their links (T44). */
export const memoryOf = (principal: Principal): string =>
  isByLink(principal) ? `${accountOf(principal)} by link` : accountOf(principal)

export interface NamedUser {
  id: string
  tenantId: string
  userName: string
  guestName?: string | null
}

/** Adds the maker of a link to the name of the user in whose name the link was made (T45). */
export const withLinkMaker = (name: string, { linkMaker }: { linkMaker?: string | null | undefined }): string =>
  linkMaker == null ? name : `${name}, by a link of ${linkMaker}`

/** Adds its kind to the name of a service account, which may be called like a person (T45). */
export const asServiceAccount = (name: string): string => `${name} (service account)`

/** The user behind every credential that acts for it. */
export const asUser = ({ id, tenantId, userName, guestName = null }: NamedUser) =>
  ({ kind: 'User', id, tenantId, name: userName, guestName, isUnrestricted: false }) as const

/** Sign-in that survives a change: the hash of the session's token, or the id of the bearer tokens' family. */
export interface Kept {
  sessionId?: string | undefined
  familyId?: string | undefined
}

export const keptOf = ({ credential }: Principal): Kept => ({
  ...('sessionId' in credential && { sessionId: credential.sessionId }),
  ...('familyId' in credential && { familyId: credential.familyId }),
})
