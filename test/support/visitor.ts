import { randomBytes } from 'node:crypto'
import { api } from '../../shared/api/index.ts'
import { createClients, type Clients, type Fetch } from '../../shared/contract/client.ts'
import type { CurrentUserDto } from '../../shared/dtos/user.ts'
import { endsSessionParameter } from '../../shared/device-access.ts'
import { pageKeyHeader } from '../../shared/page-key.ts'

export const account = { email: 'ada@example.org', password: 'Correct-Horse-7', organizationName: 'Analytical Engines' }

const allGroups = { ...api.v1, ...api.internal, ...api.identity, ...api.agent, ...api.appliance }

/** Typed clients of all route groups, by their name in `api`. */
const clientsOver = (fetch: Fetch, headers: Record<string, string> = {}) =>
  createClients(allGroups, { baseUrl: '', fetch, headers })

export interface Integrator extends Clients<typeof allGroups> {}

/** Clients of a program with credentials in headers, such as `{ 'x-api-key': key }`. */
export const integrator = (url: string, headers: Record<string, string>): Integrator =>
  clientsOver((path, init) => fetch(url + path, init), headers)

// Declares the clients as members of each visitor, which a class alone cannot express.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export interface Visitor extends Clients<typeof allGroups> {}

/**
 * Yields so that sockets process the end of idle connections. After a test has blocked this process for seconds, with
 * files or another program, a request would be sent on a connection that the server has just closed.
 */
async function seeEndedConnections(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const proofPath = '/api/appliance/v1/session/proof'

/** Minimal browser: sends its own origin and stores cookies. */
export class Visitor {
  readonly #place: string | { readonly url: string }
  /** Cookie of the session. */
  cookie: string | undefined
  /** Key that our own page sends; undefined for programs, whose sessions need the cookie alone. */
  pageKey: string | undefined
  /** Cookie by which the server recognizes the browser. */
  browserCookie: string | undefined
  /** Password for a step-up proof when a request demands one, as on the page; undefined returns the rejection. */
  provesWith: string | undefined

  /** @param place Address, or a server whose address is read on use. */
  constructor(place: string | { readonly url: string }) {
    this.#place = place
    Object.assign(this, clientsOver(this.fetch))
  }

  get url(): string {
    return typeof this.#place === 'string' ? this.#place : this.#place.url
  }

  /** Redeems a link with a logon token, as our page does in the browser that opened the link. */
  async openLink(
    link: string,
    { headers, endsSession = false }: { headers?: Record<string, string>; endsSession?: boolean } = {},
  ): Promise<Response> {
    const pageKey = randomBytes(32).toString('base64url')
    const response = await this.fetch(endsSession ? `${link}&${endsSessionParameter}=true` : link, {
      method: 'POST',
      headers: { [pageKeyHeader]: pageKey, ...headers },
    })
    if (response.ok) {
      this.pageKey = pageKey
    }
    return response
  }

  /** Headers for requests without the clients. */
  get headers(): Record<string, string> {
    const key: Record<string, string> = this.pageKey === undefined ? {} : { [pageKeyHeader]: this.pageKey }
    return { cookie: this.cookie ?? '', origin: this.url, ...key }
  }

  fetch = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    if (this.pageKey !== undefined && !headers.has(pageKeyHeader)) {
      headers.set(pageKeyHeader, this.pageKey)
    }
    if (!headers.has('origin')) {
      headers.set('origin', this.url)
    }
    const cookies = [this.cookie, this.browserCookie].filter((pair) => pair !== undefined)
    if (cookies.length > 0 && !headers.has('cookie')) {
      headers.set('cookie', cookies.join('; '))
    }
    await seeEndedConnections()
    const response = await fetch(path.startsWith('http') ? path : this.url + path, { ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      if (pair.includes('.Farhand.Browser')) {
        this.browserCookie = pair
      } else {
        this.cookie = line.includes('Max-Age=0') ? undefined : pair
      }
    }
    return (await this.#isProved(path, response)) ? this.fetch(path, init) : response
  }

  /** Whether to retry a rejected request, after a proof of the user's identity. */
  async #isProved(path: string, response: Response): Promise<boolean> {
    const isAsked = response.status === 403 && (await response.clone().text()).includes('reauthentication-required')
    if (!isAsked || this.provesWith === undefined || path === proofPath) {
      return false
    }
    const proof = await this.fetch(proofPath, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password: this.provesWith }),
    })
    return proof.ok
  }
}

/** Visitor with an account. */
export type Member = Visitor & { tenantId: string; user: CurrentUserDto }

/** Registers an account in the browser of a visitor. */
export async function register(visitor: Visitor, changes: Partial<typeof account> = {}): Promise<Member> {
  const body = { ...account, ...changes }
  const user = await visitor.applianceSession.register({ body })
  visitor.provesWith = body.password
  return Object.assign(visitor, { tenantId: user.tenantId, user })
}

/** Registers the first account of a server at an address. */
export const registerOwner = (url: string, changes?: Partial<typeof account>): Promise<Member> =>
  register(new Visitor(url), changes)

/** Signs in to an account of a server at an address. */
export async function signInTo(url: string, changes: Partial<typeof account> = {}): Promise<Member> {
  const visitor = new Visitor(url)
  const { email, password } = { ...account, ...changes }
  const { user } = await visitor.applianceSession.signIn({ body: { email, password } })
  if (!user) {
    throw new Error(`${email} was not signed in.`)
  }
  visitor.provesWith = password
  return Object.assign(visitor, { tenantId: user.tenantId, user })
}
