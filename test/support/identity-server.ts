import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { onTestFinished } from 'vitest'
import type { NamedReleaseKey } from '../../shared/agent-release.ts'
import type { PinnedServer } from '../../agent/trust/pinned-server.ts'
import { makeAuthority, makeLeaf, type Authority } from '../../server/engines/tls/certificates.ts'
import { newKey, pinOf, publicDerOf } from '../../server/engines/tls/keys.ts'
import { signStatement } from '../../server/engines/tls/statement.ts'
import { identityPath, IdentityStatement, type Pin, type ServerIdentityDto } from '../../shared/server-identity.ts'

export const newAuthority = async (now = Date.now()): Promise<Authority> => makeAuthority(await newKey(), now)

/** Certificate and key that a server presents. */
export interface Shown {
  certificate: string
  key: KeyObject
}

export async function leafOf(authority: Authority, { now = Date.now(), key }: { now?: number; key?: KeyObject } = {}) {
  const ownKey = key ?? (await newKey())
  const certificate = (await makeLeaf(authority, ownKey, ['127.0.0.1', 'localhost'], now)).toString()
  return { certificate, key: ownKey } satisfies Shown
}

/** Enrollment of an agent with this authority's server. */
export const trustIn = ({ key }: Authority, changes: Partial<PinnedServer> = {}): PinnedServer => ({
  pin: pinOf(key),
  name: 'Shop',
  key: publicDerOf(key).toString('base64'),
  serverPin: null,
  issuedAt: null,
  expiresAt: null,
  releaseKey: null,
  ...changes,
})

export const newRsaKey = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

/** Identity statement of a server with this certificate, signed by the authority. */
export const documentOf = (
  authority: Authority,
  { key }: Pick<Shown, 'key'>,
  {
    name = 'Shop',
    addresses = [],
    issuedAt = Date.now(),
    ...releases
  }: { name?: string; addresses?: string[]; issuedAt?: number; releaseKeys?: readonly NamedReleaseKey[] } = {},
): ServerIdentityDto => signStatement(authority, { serverPin: pinOf(key), name, addresses, ...releases }, issuedAt)

/** Identity statement without an expiry, as signed by older servers. */
export function endlessDocumentOf(...parameters: Parameters<typeof documentOf>): ServerIdentityDto {
  const document = documentOf(...parameters)
  const { expiresAt: _, ...statement } = IdentityStatement.parse(
    JSON.parse(Buffer.from(document.statement, 'base64').toString()),
  )
  const bytes = Buffer.from(JSON.stringify(statement))
  const signature = sign('sha256', bytes, parameters[0].key).toString('base64')
  return { ...document, statement: bytes.toString('base64'), signature }
}

/** Server that presents what a test sets, and records its requests. */
export interface IdentityServer {
  url: string
  port: number
  /** Pin of the presented key. */
  pin: Pin
  /** Request lines and headers as received. */
  requests: string[]
  /** Paths of WebSocket upgrades; all are rejected. */
  upgrades: string[]
  /** Finished handshakes, and whether each resumed a session. */
  handshakes: { isResumed: boolean }[]
  /** Presents another certificate from now on. */
  show(shown: Shown): void
  /** Serves another identity statement from now on; undefined gives a 404. */
  say(document: ServerIdentityDto | undefined): void
  close(): Promise<void>
}

export async function startIdentityServer(
  shown: Shown,
  document: ServerIdentityDto | undefined,
  { port = 0, host = '127.0.0.1', answer }: { port?: number; host?: string; answer?: RequestListener } = {},
): Promise<IdentityServer> {
  let said = document
  const contextOf = ({ certificate, key }: Shown) => ({
    cert: certificate,
    key: key.export({ type: 'pkcs8', format: 'pem' }),
  })
  const requests: string[] = []
  const handshakes: { isResumed: boolean }[] = []
  const server = createServer(contextOf(shown), (request, response) => {
    const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${String(value)}`)
    requests.push([`${request.method} ${request.url}`, ...headers].join('\n'))
    if (request.url === identityPath) {
      response.writeHead(said ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(said ?? {}))
    } else if (answer) {
      answer(request, response)
    } else {
      response.end('here')
    }
  })
  const upgrades: string[] = []
  server.on('upgrade', (request, socket) => {
    upgrades.push(request.url ?? '')
    socket.end('HTTP/1.1 426 No\r\ncontent-length: 0\r\n\r\n')
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    handshakes.push({ isResumed: socket.isSessionReused() })
    socket.on('error', () => {})
  })
  await once(server.listen(port, host), 'listening')
  const { port: taken } = server.address() as AddressInfo
  const close = async () => {
    sockets.forEach((socket) => socket.destroy())
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(close)
  return {
    url: `https://${host}:${taken}`,
    port: taken,
    pin: pinOf(shown.key),
    requests,
    upgrades,
    handshakes,
    show: (next) => server.setSecureContext(contextOf(next)),
    say: (next) => (said = next),
    close,
  }
}
