import type { IncomingMessage } from 'node:http'
import { dayMs } from '../../shared/durations.ts'
import { actorOf, type Actor } from '../ground/actor.ts'
import type { App } from '../call/call.ts'
import { countedAddress, type RemoteAddressOf } from '../engines/http/web/remote-address.ts'
import { RecentEntries } from '../ground/recent-entries.ts'
import type { Principal } from '../ground/principal.ts'
import type { PresentedKey } from './key-format.ts'

/** Interval of logging further uses from the same address. */
const loggedEveryMs = dayMs

/** Maximum number of remembered uses, of a key from an address. */
const maxUses = 10_000

/** A kind of token or key, for the log. */
interface Kind {
  target: 'token' | 'key'
  /** Principal of a valid key; does not check the secret. */
  ownerOf(id: string): Principal | undefined
  nameOf(id: string): Promise<string | undefined>
}

/** Logs tokens and keys in use: each one's first use from an address, then once a day; also the first after a start. */
export class KeyUses {
  readonly #app: App
  readonly #remoteAddressOf: RemoteAddressOf
  readonly #kind: Kind
  readonly #logged = new RecentEntries<number>(maxUses)

  constructor(app: App, remoteAddressOf: RemoteAddressOf, kind: Kind) {
    this.#app = app
    this.#remoteAddressOf = remoteAddressOf
    this.#kind = kind
  }

  /** Returns the principal; for a new use, after the row of the use is stored. */
  used(request: IncomingMessage, id: string, principal: Principal): Principal | Promise<Principal> {
    const address = this.#remoteAddressOf(request)
    const use = `${id} ${countedAddress(address)}`
    const now = this.#app.clock.now()
    const last = this.#logged.get(use)
    if (last !== undefined && now - last < loggedEveryMs) {
      return principal
    }
    this.#logged.set(use, now)
    return this.#record(actorOf(principal, address, request.headers['user-agent']), id).then(() => principal)
  }

  async #record(actor: Actor, id: string): Promise<void> {
    const target = { kind: this.#kind.target, id, name: (await this.#kind.nameOf(id)) ?? null }
    await this.#app.audit.record(actor, { kind: 'sign-in.token', target })
  }

  /** Logs a rejected key. Not awaited: the answer takes as long for an unknown key as for a wrong secret (T12). */
  failed(request: IncomingMessage, key: PresentedKey | undefined): void {
    const owner = key && this.#kind.ownerOf(key.id)
    this.#app.audit.note(actorOf(undefined, this.#remoteAddressOf(request), request.headers['user-agent']), {
      kind: 'sign-in.token',
      outcome: 'failure',
      tenantId: owner?.tenantId ?? null,
      target: key && owner && { kind: this.#kind.target, id: key.id },
    })
  }
}
