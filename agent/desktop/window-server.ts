import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { z } from 'zod'
import { parseJson } from '../../shared/contract/parse-json.ts'
import { maxChatLength } from '../../shared/dtos/chat.ts'
import { isOfSameUser } from './same-user.ts'
import { strings } from './strings.ts'

/** Content of a window, as plain text: nothing is interpreted as markup or a link. */
export interface WindowState {
  title: string
  introduction: string
  lines: readonly { name: string; text: string; isOwn: boolean; problem?: string }[]
  /** `{seconds}` counts down from `secondsLeft`. */
  note: string
  secondsLeft?: number
  /** Labels of the available actions. */
  send?: string
  placeholder?: string
  allow?: string
  decline?: string
  /** Further ways to allow, beside `allow`. */
  allowHour?: string
  allowToday?: string
  /** Check box beside the actions. */
  always?: { label: string; isChecked: boolean }
}

const WindowAnswer = z.union([
  z.object({ text: z.string().min(1).max(maxChatLength) }),
  z.object({
    isAllowed: z.boolean(),
    lasts: z.enum(['once', 'hour', 'today']).default('once'),
    asksAlways: z.boolean().optional(),
  }),
])
export type WindowAnswer = z.output<typeof WindowAnswer>

interface WindowDependencies {
  onAnswer: (answer: WindowAnswer) => void
  /** Called when the first browser shows the window, and when the last one is gone. */
  onPresence: (isPresent: boolean) => void
}

const maxBodyBytes = 64 * 1024
const file = (name: string) => readFileSync(new URL(`./window/${name}`, import.meta.url))

const types: Readonly<Record<string, string>> = {
  'window.html': 'text/html; charset=utf-8',
  'window.css': 'text/css; charset=utf-8',
  'window.js': 'text/javascript; charset=utf-8',
}

const headers = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

const newSecret = () => randomBytes(32).toString('base64url')
const isSame = (given: string, secret: string) =>
  given.length === secret.length && timingSafeEqual(Buffer.from(given), Buffer.from(secret))

/** Part of the server that serves one window. */
class ServedWindow {
  readonly id = randomUUID()
  /** Single-use key for loading the window; the browser receives a cookie in exchange. */
  #key: string | undefined = newSecret()
  readonly #cookie = newSecret()
  readonly #deps: WindowDependencies
  readonly #streams = new Set<ServerResponse>()
  #state: WindowState

  constructor(state: WindowState, deps: WindowDependencies) {
    this.#state = state
    this.#deps = deps
  }

  get path() {
    return `/${this.id}/`
  }

  get firstPath() {
    return `${this.path}open/${this.#key}`
  }

  update(state: WindowState) {
    this.#state = state
    this.#streams.forEach((stream) => this.#send(stream))
  }

  end() {
    this.#key = undefined
    this.#streams.forEach((stream) => stream.end())
  }

  async handle(request: IncomingMessage, response: ServerResponse, name: string): Promise<void> {
    if (name.startsWith('open/') && request.method === 'GET') {
      this.#open(response, name.slice('open/'.length))
    } else if (!this.#hasCookie(request)) {
      response.writeHead(403, headers).end()
    } else if (request.method === 'POST' && name === 'answer') {
      await this.#takeAnswer(request, response)
    } else if (request.method === 'GET' && name === 'events') {
      this.#follow(response)
    } else if (request.method === 'GET' && Object.hasOwn(types, name || 'window.html')) {
      const page = name || 'window.html'
      response.writeHead(200, { ...headers, 'Content-Type': types[page] }).end(file(page))
    } else {
      response.writeHead(404, headers).end()
    }
  }

  #open(response: ServerResponse, given: string) {
    const isRight = this.#key !== undefined && isSame(given, this.#key)
    if (!isRight) {
      response.writeHead(403, { ...headers, 'Content-Type': 'text/plain; charset=utf-8' }).end(strings.windowUsed)
      return
    }
    this.#key = undefined
    // `Lax`, because a private file may link here, and browsers send no `Strict` cookie after a cross-site navigation.
    const cookie = `window=${this.#cookie}; Path=${this.path}; HttpOnly; SameSite=Lax`
    response.writeHead(303, { ...headers, 'Set-Cookie': cookie, Location: this.path }).end()
  }

  #hasCookie({ headers: { cookie = '' } }: IncomingMessage) {
    return cookie.split('; ').some((pair) => pair.startsWith('window=') && isSame(pair.slice(7), this.#cookie))
  }

  async #takeAnswer(request: IncomingMessage, response: ServerResponse) {
    let body = ''
    request.setEncoding('utf8')
    for await (const chunk of request) {
      body += chunk
      if (body.length > maxBodyBytes) {
        response.writeHead(413, headers).end()
        request.destroy()
        return
      }
    }
    const answer = WindowAnswer.safeParse(parseJson(body)).data
    response.writeHead(answer ? 204 : 400, headers).end()
    if (answer) {
      this.#deps.onAnswer(answer)
    }
  }

  #follow(response: ServerResponse) {
    response.writeHead(200, { ...headers, 'Content-Type': 'text/event-stream' })
    this.#streams.add(response)
    this.#send(response)
    if (this.#streams.size === 1) {
      this.#deps.onPresence(true)
    }
    response.on('close', () => {
      this.#streams.delete(response)
      if (this.#streams.size === 0) {
        this.#deps.onPresence(false)
      }
    })
  }

  #send(stream: ServerResponse) {
    stream.write(`data: ${JSON.stringify(this.#state)}\n\n`)
  }
}

function refuse(socket: Socket): void {
  socket.write('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  socket.destroySoon()
}

export interface OpenWindow {
  /** Single-use address for the person's browser. */
  address: string
  update(state: WindowState): void
  close(): void
}

/** Serves windows to browsers of this user on this machine, and rejects all other clients. */
export class WindowServer {
  readonly #windows = new Map<string, ServedWindow>()
  #listening: Promise<{ server: Server; origin: string }> | undefined

  async open(state: WindowState, deps: WindowDependencies): Promise<OpenWindow> {
    this.#listening ??= this.#listen()
    const { origin } = await this.#listening
    const window = new ServedWindow(state, deps)
    this.#windows.set(window.id, window)
    return {
      address: `${origin}${window.firstPath}`,
      update: (changed) => window.update(changed),
      close: () => {
        this.#windows.delete(window.id)
        window.end()
      },
    }
  }

  async close(): Promise<void> {
    const { server } = (await this.#listening) ?? {}
    server?.close()
    server?.closeAllConnections()
  }

  async #listen() {
    const server = createServer({ requestTimeout: 10_000 })
    server.maxConnections = 100
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const host = `127.0.0.1:${port}`
    const checked = new WeakMap<Socket, Promise<boolean>>()
    server.on('connection', (socket: Socket) => {
      const isOurs = isOfSameUser(socket.remotePort ?? 0, port)
      checked.set(socket, isOurs)
      // Reject before a request arrives: idle connections of other users could use up all available connections.
      void isOurs.then((isAllowed) => isAllowed || refuse(socket))
    })
    server.on('request', (request, response) => {
      const isOurs = checked.get(request.socket) ?? Promise.resolve(false)
      void isOurs
        .then((isAllowed) => (isAllowed ? this.#handle(request, response, host) : undefined))
        .catch(() => response.destroy())
    })
    return { server, origin: `http://${host}` }
  }

  async #handle(request: IncomingMessage, response: ServerResponse, host: string) {
    const { origin } = request.headers
    const isForeign = request.headers.host !== host || (origin !== undefined && origin !== `http://${host}`)
    const [, id = '', name] = /^\/([0-9a-f-]{36})\/([\w./-]{0,100})$/.exec(request.url ?? '') ?? []
    const window = this.#windows.get(id)
    if (isForeign || (request.method === 'POST' && origin === undefined)) {
      response.writeHead(403, headers).end()
    } else if (!window || name === undefined) {
      response.writeHead(404, headers).end()
    } else {
      await window.handle(request, response, name)
    }
  }
}
