import { z } from 'zod'
import { accountOf, withLinkMaker, type NamedUser, type Principal } from './principal.ts'

/** Circumstances of an actor, for the audit log: names and credential at that moment. */
export interface ActorSource {
  name: string | null
  /** Whether the name was chosen by another system, for a guest of a link. */
  isGuest: boolean
  tenantId: string | null
  /** Account whose limits count; null for the server itself and strangers. */
  accountId: string | null
  /** Kind of the credential, and the id of a token or key; never a session's id, whose holder it identifies. */
  credential: { kind: string; id: string | null } | null
  /** `User-Agent` header. */
  browser: string | null
}

const StoredActor = z.object({
  type: z.enum(['user', 'service-account', 'system']),
  id: z.string().nullable(),
  remoteAddress: z.string().nullable(),
  source: z.object({
    name: z.string().nullable(),
    isGuest: z.boolean(),
    tenantId: z.string().nullable(),
    accountId: z.string().nullable().default(null),
    credential: z.object({ kind: z.string(), id: z.string().nullable() }).nullable(),
    browser: z.string().nullable(),
  }),
})

/** Reads the actor of a note that outlives a restart; the server itself for a note without one. */
export const readActor = (stored: unknown): Actor => StoredActor.safeParse(stored).data ?? actorOf(undefined, null)

/** Actor in the log of changes and in the audit log. */
export interface Actor {
  type: 'user' | 'service-account' | 'system'
  id: string | null
  remoteAddress: string | null
  source: ActorSource
}

const credentialOf = ({ credential }: Principal) => ({
  kind: credential.kind,
  id: 'id' in credential ? credential.id : null,
})

/** Actor of a principal; an anonymous caller is logged as the system. */
export const actorOf = (
  principal: Principal | undefined,
  remoteAddress: string | null,
  browser: string | null = null,
): Actor => ({
  type: principal ? (principal.kind === 'User' ? 'user' : 'service-account') : 'system',
  id: principal?.id ?? null,
  remoteAddress,
  source: {
    name: principal ? (principal.guestName ?? withLinkMaker(principal.name, principal)) : null,
    isGuest: principal?.guestName != null,
    tenantId: principal?.tenantId ?? null,
    accountId: principal ? accountOf(principal) : null,
    credential: principal ? credentialOf(principal) : null,
    browser,
  },
})

/** Actor of a visitor who has proved to be a user. */
export const actorOfUser = (
  visitor: Actor,
  { id, tenantId, userName, guestName, linkMaker }: NamedUser & Pick<Principal, 'linkMaker'>,
  accountId = id,
): Actor => ({
  ...visitor,
  type: 'user',
  id,
  source: {
    ...visitor.source,
    name: guestName ?? withLinkMaker(userName, { linkMaker }),
    isGuest: guestName != null,
    tenantId,
    accountId,
  },
})

interface InstallerKey {
  id: string
  tenantId: string
  creatorKind: 'User' | 'ServiceAccount'
  creatorId: string
}

/** Actor of a device that registers: the creator of its installer key, by its present name. */
export const actorOfInstallerKey = (
  { id, tenantId, creatorKind, creatorId }: InstallerKey,
  name: string,
  remoteAddress: string | null,
): Actor => ({
  type: creatorKind === 'User' ? 'user' : 'service-account',
  id: creatorId,
  remoteAddress,
  source: {
    name,
    isGuest: false,
    tenantId,
    accountId: creatorId,
    credential: { kind: 'InstallerKey', id },
    browser: null,
  },
})

/** Actor of commands at the computer of the server, whose user is not known. */
export const actorAtComputer: Actor = {
  ...actorOf(undefined, null),
  source: { ...actorOf(undefined, null).source, name: 'Somebody at the computer of this server' },
}
