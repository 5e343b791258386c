import type { TLSSocket } from 'node:tls'
import { deferred } from '../../shared/deferred.ts'
import type { ReleaseKey } from '../../shared/agent-release.ts'
import { identityPath, type Pin, type SignedAddresses } from '../../shared/server-identity.ts'
import type { Clock } from '../base/clock.ts'
import { UserError } from '../base/errors.ts'
import { explainFailure } from '../base/explain-failure.ts'
import type { ServerAccess } from './access.ts'
import type { Announcement, SearchOptions } from './discovery.ts'
import { readIdentity, type ProvedIdentity } from './identity-document.ts'
import { AllFailed, firstOf } from './first-of.ts'
import { WrongIdentity, WrongTime } from './problems.ts'
import { ServerProof } from './server-proof.ts'
import { TrustedAgent } from './trusted-agent.ts'
import { requestOver, type PlainRequest } from './trusted-request.ts'
import type { PinnedServer } from './pinned-server.ts'

const staggerMs = 1000
const searchMs = 3000
/**
 * Time after which the network is searched in parallel: an unresponsive DNS server delays each named address for
 * longer.
 */
const patienceMs = 1500
/**
 * First attempt that searches the network: most outages are restarts, which should not cause a search by every agent.
 */
const searchFromAttempt = 1
const mostOrigins = 16

export interface PinnedAccessDependencies {
  clock: Clock
  trusted: PinnedServer
  /** Last origin of the server, then the origins in its statement. */
  origins: readonly string[]
  /** Called with every newer statement of the server. */
  onStatement: (identity: ProvedIdentity) => void
  /** Called when the server has proved its identity at a new origin. */
  onMoved: (origin: string) => void
  /** Called when another server answered at an address of ours. */
  onStranger: (stranger: WrongIdentity) => void
  /** Searches the network; tests pass a replacement. */
  find?: (limitMs: number, options: Required<Omit<SearchOptions, 'port'>>) => Promise<Announcement[]>
}

const onlyHttps = (origins: readonly string[]) =>
  [...new Set(origins)].filter((origin) => URL.canParse(origin) && new URL(origin).protocol === 'https:')

function inAnyOrder(items: readonly string[]): string[] {
  const mixed = items.map((item) => ({ item, at: Math.random() }))
  return mixed.toSorted((one, other) => one.at - other.at).map(({ item }) => item)
}

async function askNetwork(...parameters: Parameters<NonNullable<PinnedAccessDependencies['find']>>) {
  // Loaded on first use, because few agents need the search.
  const { findAnnounced } = await import('./discovery.ts')
  return await findAnnounced(...parameters)
}

/**
 * Access to the one server that has the pinned key, at any address; all data is sent over connections that proved this
 * key.
 */
export class PinnedAccess implements ServerAccess {
  readonly #deps: PinnedAccessDependencies
  readonly #proof: ServerProof
  readonly #agent: TrustedAgent
  #origins: readonly string[]
  /** Authenticated connection that has not been used yet. */
  #spare: { origin: string; socket: TLSSocket } | undefined

  constructor(deps: PinnedAccessDependencies) {
    this.#deps = deps
    this.#origins = onlyHttps(deps.origins)
    if (this.#origins.length === 0) {
      throw new UserError(
        'This device knows its server by its key, and none of its addresses is encrypted. Install the agent again ' +
          'with a command from the Deploy page of the server.',
      )
    }
    this.#proof = new ServerProof({
      clock: deps.clock,
      trusted: deps.trusted,
      onStatement: (identity) => {
        this.#origins = onlyHttps([this.origin, ...identity.statement.addresses])
        deps.onStatement(identity)
      },
    })
    this.#agent = new TrustedAgent((origin) => this.#connect(origin))
  }

  get origin(): string {
    return this.#origins[0] ?? ''
  }

  get trusted(): PinnedServer {
    return this.#proof.trusted
  }

  get shownPin(): Pin | undefined {
    return this.#proof.shownPin
  }

  get socketOptions() {
    return { agent: this.#agent }
  }

  async locate(attempt: number, signal: AbortSignal): Promise<string> {
    this.#dropSpare()
    const found = new AbortController()
    const stop = AbortSignal.any([signal, found.signal])
    const known = this.#tryAll(this.#origins, stop)
    try {
      return await (attempt < searchFromAttempt ? known : Promise.any([known, this.#elsewhere(attempt, known, stop)]))
    } catch (error) {
      throw await this.#explained(...(error instanceof AggregateError ? (error.errors as unknown[]) : [error]))
    } finally {
      found.abort()
    }
  }

  /** Searches announcements once the known addresses have failed or are slow. */
  async #elsewhere(attempt: number, known: Promise<unknown>, signal: AbortSignal): Promise<string> {
    const { promise: patience, resolve: end } = deferred<void>()
    const cancel = this.#deps.clock.after(patienceMs, end)
    known.then(cancel, () => end())
    await patience
    cancel()
    const announced = signal.aborted ? [] : await this.#search(attempt, signal)
    return await this.#tryAll(announced, signal)
  }

  async fetch(path: string, request?: PlainRequest): Promise<Response> {
    return await requestOver(this.#agent, new URL(path, this.origin), request)
  }

  /** Replaces the host with the server's own: the relay is part of the server, whatever host the request names. */
  relay(websocketUri: string) {
    const { pathname, search } = new URL(websocketUri)
    const here = new URL(this.origin)
    return { websocketUri: `wss://${here.host}${pathname}${search}`, server: this.trusted }
  }

  async explain(error: unknown): Promise<string> {
    return error instanceof UserError ? error.message : await explainFailure(this.origin, error)
  }

  async refresh(): Promise<void> {
    const answer = await this.fetch(identityPath)
    this.#proof.learn(readIdentity(await answer.json()))
  }

  async releaseKey(): Promise<ReleaseKey | undefined> {
    await this.refresh()
    return this.trusted.releaseKey ?? undefined
  }

  async #tryAll(origins: readonly string[], signal: AbortSignal): Promise<string> {
    const { clock } = this.#deps
    const attempt = (origin: string, stop: AbortSignal) => this.#prove(origin, stop)
    const { item: origin, result: socket } = await firstOf(origins.slice(0, mostOrigins), attempt, {
      clock,
      signal,
      staggerMs,
    })
    this.#dropSpare()
    this.#spare = { origin, socket }
    if (origin !== this.origin) {
      this.#origins = onlyHttps([origin, ...this.#origins])
      this.#deps.onMoved(origin)
    }
    return origin
  }

  async #prove(origin: string, signal?: AbortSignal): Promise<TLSSocket> {
    try {
      return await this.#proof.connect(origin, signal)
    } catch (error) {
      if (error instanceof WrongIdentity) {
        this.#deps.onStranger(error)
      }
      throw error
    }
  }

  /**
   * Searches the network for further addresses of the server. Any host can announce the server's key first, so only the
   * first search ends early, and only for a new address.
   */
  async #search(attempt: number, signal: AbortSignal): Promise<string[]> {
    const { find = askNetwork } = this.#deps
    const known = this.#origins
    // Ignores the authority of a signed announcement, which the repeating host can choose.
    const newIn = ({ authority, origins, isSigned }: Announcement) =>
      isSigned || authority === this.trusted.pin ? origins.filter((origin) => !known.includes(origin)) : []
    const isEnough = (found: Announcement) => attempt === searchFromAttempt && newIn(found).length > 0
    const hasSigned = (announced: SignedAddresses) => this.#proof.hasSigned(announced)
    const announced = await find(searchMs, { signal, isEnough, hasSigned }).catch(() => [])
    const newOf = (wanted: boolean) =>
      onlyHttps(announced.filter(({ isSigned = false }) => isSigned === wanted).flatMap(newIn))
    // Signed addresses come first. Older servers sign nothing: choose randomly among too many unsigned addresses, so
    // that a host that floods the list hides such a server only for a while.
    const others = newOf(false)
    return [...new Set([...newOf(true), ...(others.length <= mostOrigins ? others : inAnyOrder(others))])]
  }

  async #connect(origin: string): Promise<TLSSocket> {
    const spare = this.#spare
    this.#spare = undefined
    if (spare?.origin === origin && !spare.socket.destroyed && spare.socket.writable) {
      return spare.socket
    }
    spare?.socket.destroy()
    return await this.#prove(origin)
  }

  #dropSpare() {
    this.#spare?.socket.destroy()
    this.#spare = undefined
  }

  /** Builds the error: the most informative failure first, then the other addresses tried. */
  async #explained(...errors: unknown[]): Promise<UserError> {
    const failures = errors.flatMap((error) => (error instanceof AllFailed ? error.failures : [{ item: '', error }]))
    const tells = (error: unknown) => error instanceof WrongIdentity || error instanceof WrongTime
    const [first, ...others] = failures.toSorted((one, other) => Number(tells(other.error)) - Number(tells(one.error)))
    const text =
      first?.error instanceof UserError ? first.error.message : await explainFailure(String(first?.item), first?.error)
    const tried = others.map(({ item }) => item).join(', ')
    return new UserError(tried === '' ? text : `${text} Also tried, without success: ${tried}.`)
  }
}
