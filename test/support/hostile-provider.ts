import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const jsonWith =
  (padding: number) =>
  (body: unknown): Answer =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body) + ' '.repeat(padding))

/** A provider that answers as the test says; without instructions, rightly. */
export class HostileProvider {
  issuer = ''
  /** Nonce of the last visit. */
  nonce = ''
  /** Replacements of answers, by path. */
  readonly answers = new Map<string, Answer>()
  claims: Record<string, unknown> = {}
  algorithm: 'RS256' | 'HS256' | 'none' = 'RS256'
  metadata: Record<string, unknown> = {}
  readonly #keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  /** Key that signs the tokens; another one than it publishes, if a test says so. */
  signer: KeyObject = this.#keys.privateKey
  /** Blanks after each answer. */
  padding = 0
  readonly #server = createServer((request, response) => this.#answer(request, response))

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    this.issuer = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return this
  }

  stop(): Promise<unknown> {
    this.#server.closeAllConnections()
    return new Promise((resolve) => this.#server.close(resolve))
  }

  reset(): void {
    this.answers.clear()
    this.claims = {}
    this.padding = 0
    this.metadata = {}
    this.algorithm = 'RS256'
    this.signer = this.#keys.privateKey
  }

  #answer(request: IncomingMessage, response: ServerResponse) {
    const [path = ''] = (request.url ?? '').split('?')
    const json = jsonWith(this.padding)
    const right: Record<string, Answer> = {
      '/.well-known/openid-configuration': json({
        issuer: this.issuer,
        authorization_endpoint: `${this.issuer}/authorize`,
        token_endpoint: `${this.issuer}/token`,
        jwks_uri: `${this.issuer}/keys`,
        response_types_supported: ['code'],
        id_token_signing_alg_values_supported: ['RS256', 'none'],
        ...this.metadata,
      }),
      '/keys': json({ keys: [{ ...this.#keys.publicKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }] }),
      '/token': json({ access_token: 'token', token_type: 'Bearer', id_token: this.#token() }),
    }
    const answer = this.answers.get(path) ?? right[path]
    if (answer) {
      answer(request, response)
    } else {
      response.writeHead(404).end()
    }
  }

  #token(): string {
    const now = Math.floor(Date.now() / 1000)
    const own = { iss: this.issuer, aud: 'farhand', sub: 'mallory', nonce: this.nonce, iat: now, exp: now + 60 }
    const content = `${encoded({ alg: this.algorithm })}.${encoded({ ...own, ...this.claims })}`
    const signature =
      this.algorithm === 'none' ? '' : sign('sha256', Buffer.from(content), this.signer).toString('base64url')
    return `${content}.${signature}`
  }
}

/** Answers with 64 MiB, compressed to a few KB. */
export const sendBomb: Answer = (_, response) =>
  void response
    .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    .end(gzipSync(Buffer.alloc(64 * 1024 * 1024, ' ')))

/** Answers a byte now and then, for ever. */
export const trickle: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 100)
  response.on('close', () => clearInterval(timer))
}

export const redirectTo =
  (location: string): Answer =>
  (_, response) =>
    void response.writeHead(302, { location }).end()
