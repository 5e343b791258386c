import type { Touched } from '../../engines/database/database.ts'
import type { Log } from '../../ground/log.ts'
import { tables } from '../models.ts'
import { Accounts } from '../../people/account-mirror.ts'
import { ActiveAlerts } from '../../alerts/alert-mirror.ts'
import { AlertRules } from '../../alerts/rule-mirror.ts'
import { AlertWatches } from '../../alerts/watch-mirror.ts'
import { apiKeys, personalAccessTokens } from '../../credentials/key-kinds.ts'
import { Fleet, type FleetEvents } from '../../fleet/fleet.ts'
import { KeyMirror } from '../../credentials/key-mirror.ts'
import type { Mirror, MirrorDependencies } from './mirror.ts'
import { Rules } from '../../rights/rule-mirror.ts'
import { ServiceAccounts } from '../../credentials/service-account-mirror.ts'
import { Sessions } from '../../credentials/session-mirror.ts'
import { Tags } from '../../devices/tag-mirror.ts'
import { WrongAnswers } from '../../identity/wrong-answer-mirror.ts'
import { Tenants } from '../../organization/tenant-mirror.ts'
import { TerminalShares } from '../../remote/terminals/share-mirror.ts'
import { Terminals } from '../../remote/terminals/terminal-mirror.ts'
import { TokenFamilies } from '../../credentials/token-family-mirror.ts'

/** A mirror as other files see it, without the methods that keep it current. */
type Held<M> = Omit<M, keyof Mirror<{ key: string }, unknown> | 'start'>

function createMirrors(deps: MirrorDependencies, events: FleetEvents) {
  const { database } = deps
  return {
    tenants: new Tenants(database),
    accounts: new Accounts(database),
    serviceAccounts: new ServiceAccounts(database),
    rules: new Rules(deps),
    sessions: new Sessions(deps),
    tokenFamilies: new TokenFamilies(deps),
    apiKeys: new KeyMirror(deps, apiKeys),
    personalAccessTokens: new KeyMirror(deps, personalAccessTokens),
    fleet: new Fleet(deps, events),
    tags: new Tags(database),
    terminals: new Terminals(deps),
    terminalShares: new TerminalShares(database),
    alertRules: new AlertRules(database),
    activeAlerts: new ActiveAlerts(database),
    alertWatches: new AlertWatches(database),
    wrongAnswers: new WrongAnswers(database),
  }
}

type Created = ReturnType<typeof createMirrors>

/** Mirrors of database rows, current after every commit. */
export type Mirrors = { [Name in keyof Created]: Held<Created[Name]> }

export interface MirrorEvents extends FleetEvents {
  /** Called when credentials may have ended. */
  credentialsChanged(): void
  /**
   * Called when the mirrors have followed a commit, or a credential may have expired: permission for running work may
   * have ended.
   */
  permissionsChanged(): void
}

interface OpenMirrors {
  mirrors: Mirrors
  /** Names of entries that differ from the database, as `accounts 0f8f…`. Empty unless there is a bug. */
  differences(): Promise<string[]>
  stop(): Promise<void>
}

const credentialTables = [
  'users',
  'sessions',
  'token_families',
  'personal_access_tokens',
  'service_accounts',
  'service_account_credentials',
]

/** Interval of checks for expired credentials. */
const expiryMs = 2_000

/** Delay before a failed read is retried. */
const retryMs = 250

/** Wraps listeners: a listener cannot undo a commit, so its error is logged and the mirrors continue. */
function withoutErrors(log: Log, events: MirrorEvents): MirrorEvents {
  const attempt = (notify: () => void) => {
    try {
      notify()
    } catch (error) {
      log.error({ err: error }, 'A listener failed after a commit.')
    }
  }
  return {
    changed: (device) => attempt(() => events.changed(device)),
    removed: (deviceId) => attempt(() => events.removed(deviceId)),
    replaced: (before, after) => attempt(() => events.replaced(before, after)),
    connectionEnded: (connectionId, displacedFrom) =>
      attempt(() => events.connectionEnded(connectionId, displacedFrom)),
    credentialsChanged: () => attempt(() => events.credentialsChanged()),
    permissionsChanged: () => attempt(() => events.permissionsChanged()),
  }
}

/** Loads the mirrors, then keeps them current after every commit. */
export async function openMirrors(deps: MirrorDependencies, listener: MirrorEvents): Promise<OpenMirrors> {
  const { database, clock, log } = deps
  const events = withoutErrors(log, listener)
  const mirrors = createMirrors(deps, events)
  const all = Object.entries(mirrors)

  const follow = async (touched: Touched) => {
    if (touched.size === 0) {
      return
    }
    await Promise.all(all.map(([, mirror]) => mirror.follow(touched)))
    if (credentialTables.some((table) => touched.has(table))) {
      events.credentialsChanged()
    }
    events.permissionsChanged()
  }

  const reload = async () => {
    await Promise.all(all.map(([, mirror]) => mirror.reload()))
    events.credentialsChanged()
    events.permissionsChanged()
  }

  let isStopping = false

  /** A failed read is retried. Until it succeeds, all further writes wait and the current write is not answered. */
  const followUntilDone = async (touched: Touched) => {
    while (!isStopping) {
      try {
        return await follow(touched)
      } catch (error) {
        log.error({ err: error }, 'The mirrors could not read a commit; retrying.')
        await new Promise<void>((resolve) => clock.after(retryMs, resolve))
      }
    }
  }

  await Promise.all(all.map(([, mirror]) => mirror.load()))
  const watched = Object.values(tables).flatMap(({ name, mirror }) => (mirror ? [{ table: name, ...mirror }] : []))
  await database.watch(watched, followUntilDone, reload)
  const stops: (() => void | Promise<void>)[] = [
    mirrors.sessions.start(),
    mirrors.sessions.seen.start(),
    mirrors.tokenFamilies.seen.start(),
    mirrors.apiKeys.start(),
    mirrors.personalAccessTokens.start(),
    clock.every(expiryMs, () => {
      events.credentialsChanged()
      events.permissionsChanged()
    }),
  ]
  return {
    mirrors,
    // Runs as a write: the mirrors are current with all earlier commits, and no commit happens during the comparison.
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
