import type { Clock } from '../clock.ts'
import type { Database, Touched } from '../database.ts'
import type { Log } from '../log.ts'
import type { Models } from '../models/index.ts'
import { Accounts } from './accounts.ts'
import { apiKeys } from './api-keys.ts'
import { Chats } from './chats.ts'
import { DeviceSignatures } from './device-signatures.ts'
import { Fleet, type FleetEvents } from './fleet/fleet.ts'
import { Heartbeats } from './heartbeats.ts'
import { HeldKeys } from './held-keys.ts'
import type { Mirror } from './mirror.ts'
import { PageTickets } from './page-tickets.ts'
import { personalAccessTokens } from './personal-access-tokens.ts'
import { Presence } from './presence.ts'
import { RemoteSessions } from './remote-sessions.ts'
import { RunningBatches } from './running-batches.ts'
import { Rules } from './rules.ts'
import { RunningUploads } from './running-uploads.ts'
import { RunningWork } from './running-work.ts'
import { Sessions } from './sessions.ts'
import { SignInAttempts } from './sign-in-attempts.ts'
import { StreamBridge } from './stream-bridge.ts'
import { tables } from './tables.ts'
import { Tenants } from './tenants.ts'
import { Terminals } from './terminals.ts'
import { TokenFamilies } from './token-families.ts'
import { diskBudget, memoryBudget, type TransferBudget } from './transfer-budgets.ts'

/** A mirror as other files see it: it follows the commits by itself. */
type Held<M> = Omit<M, keyof Mirror<{ key: string }, unknown> | 'start'>

/** What lives in memory. */
export interface Memory {
  tenants: Held<Tenants>
  accounts: Held<Accounts>
  rules: Held<Rules>
  sessions: Held<Sessions>
  pageTickets: PageTickets
  tokenFamilies: Held<TokenFamilies>
  apiKeys: Held<HeldKeys<never>>
  personalAccessTokens: Held<HeldKeys<never>>
  fleet: Held<Fleet>
  presence: Presence
  heartbeats: Heartbeats
  terminals: Held<Terminals>
  remoteSessions: RemoteSessions
  chats: Chats
  batches: RunningBatches
  streams: StreamBridge
  /** Memory and disk of this server for transfers. */
  transferMemory: TransferBudget
  transferDisk: TransferBudget
  runningUploads: RunningUploads
  runningWork: RunningWork
  signInAttempts: SignInAttempts
  deviceSignatures: DeviceSignatures
}

interface Parts {
  database: Database
  models: Models
  clock: Clock
  log: Log
  /** Largest age of a signed device update; undefined: its age is not checked. */
  clockSkewToleranceMs: number | undefined
  /** For what does not fit into memory for a while. */
  scratchDirectory: string
  /** Largest file that is transferred; undefined: no limit. */
  maxTransferBytes: number | undefined
}

export interface MemoryEvents extends FleetEvents {
  /** Credentials may have ended. */
  credentialsChanged(): void
}

interface OpenMemory {
  memory: Memory
  /** Names of entries that differ from the database, as `accounts 0f8f…`. Empty unless there is a fault. */
  differences(): Promise<string[]>
  stop(): Promise<void>
}

/** The tables that credentials are made of. */
const credentialTables = [
  'users',
  'sessions',
  'token_families',
  'personal_access_tokens',
  'service_accounts',
  'service_account_credentials',
]

/** How often expired credentials are looked for. */
const expiryMs = 2_000

/** How long it takes until a reading that failed is tried again. */
const retryMs = 250

/** Whoever hears of a commit cannot undo it: an error there is logged, and following goes on. */
function withoutErrors(log: Log, events: MemoryEvents): MemoryEvents {
  const attempt = (tell: () => void) => {
    try {
      tell()
    } catch (error) {
      log.error({ err: error }, 'Not everybody was told of what was written.')
    }
  }
  return {
    changed: (device) => attempt(() => events.changed(device)),
    connectionEnded: (connectionId) => attempt(() => events.connectionEnded(connectionId)),
    credentialsChanged: () => attempt(() => events.credentialsChanged()),
  }
}

/** Loads what lives in memory, and has it follow the commits from then on. */
export async function openMemory(parts: Parts, listener: MemoryEvents): Promise<OpenMemory> {
  const { database, models, clock, log, clockSkewToleranceMs, scratchDirectory, maxTransferBytes } = parts
  const events = withoutErrors(log, listener)
  const mirrors = {
    tenants: new Tenants(database),
    accounts: new Accounts(database),
    rules: new Rules(database),
    sessions: new Sessions(parts),
    tokenFamilies: new TokenFamilies(database),
    apiKeys: new HeldKeys(parts, apiKeys),
    personalAccessTokens: new HeldKeys(parts, personalAccessTokens),
    fleet: new Fleet(parts, events),
    terminals: new Terminals(parts),
  }
  const all = Object.entries(mirrors)
  const runningWork = new RunningWork(log)

  const follow = async (touched: Touched) => {
    if (touched.size === 0) {
      return
    }
    await Promise.all(all.map(([, mirror]) => mirror.follow(touched)))
    if (credentialTables.some((table) => touched.has(table))) {
      events.credentialsChanged()
    }
    runningWork.checkAll()
  }

  let isStopping = false

  /** A failed reading is repeated. Until it succeeds, nothing else is written and the write is not answered. */
  const followUntilDone = async (touched: Touched) => {
    while (!isStopping) {
      try {
        return await follow(touched)
      } catch (error) {
        log.error({ err: error }, 'What was written could not be read again; this is tried until it works.')
        await new Promise<void>((resolve) => clock.after(retryMs, resolve))
      }
    }
  }

  await Promise.all(all.map(([, mirror]) => mirror.load()))
  const watched = Object.entries(tables).flatMap(([name, table]) =>
    table ? [{ table: models[name as keyof Models].tableName, ...table }] : [],
  )
  await database.watch(watched, followUntilDone)
  const stops: (() => void | Promise<void>)[] = [
    mirrors.sessions.start(),
    mirrors.apiKeys.start(),
    mirrors.personalAccessTokens.start(),
    clock.every(expiryMs, () => {
      events.credentialsChanged()
      runningWork.checkAll()
    }),
  ]
  const transferDisk = diskBudget(maxTransferBytes)
  return {
    memory: {
      ...mirrors,
      pageTickets: new PageTickets(parts),
      presence: new Presence(),
      heartbeats: new Heartbeats(),
      remoteSessions: new RemoteSessions(),
      chats: new Chats(),
      batches: new RunningBatches(),
      runningUploads: new RunningUploads(),
      streams: new StreamBridge(clock, scratchDirectory, transferDisk),
      transferMemory: memoryBudget(),
      transferDisk,
      runningWork,
      signInAttempts: new SignInAttempts(),
      deviceSignatures: new DeviceSignatures(clock, clockSkewToleranceMs),
    },
    // In a turn of its own: every commit before it is followed, and none comes while it reads.
    differences: () =>
      database.write(async () => {
        const found = await Promise.all(
          all.map(async ([name, mirror]) => (await mirror.differences()).map((key) => `${name} ${key}`)),
        )
        return found.flat()
      }),
    async stop() {
      isStopping = true
      for (const stop of stops) {
        await stop()
      }
    },
  }
}
