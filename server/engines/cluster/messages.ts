import type { Clock } from '../../ground/clock.ts'
import type { Log } from '../../ground/log.ts'
import { ClusterAway } from './cluster-away.ts'
import type { Redis } from './redis.ts'
import { isFresh, type ClusterSecret } from './secret.ts'

/** Longest wait for an answer of another server; callers have shorter limits of their own. */
const answerMs = 6 * 60_000

type Message =
  | { kind: 'publish'; channel: string; body: string }
  | { kind: 'ask'; id: number; method: string; body: unknown }
  | { kind: 'cancel'; id: number }
  | { kind: 'answer'; id: number; result?: unknown; error?: string }

interface Envelope {
  from: string
  /** The only receiver; undefined for all. */
  to: string | undefined
  /** Ms since 1970. */
  sentAt: number
  /** Grows with each message of the sender, so that none acts twice. */
  sequence: number
  message: Message
}

export type Listener = (message: string, from: string) => void
/** Answers a question of another server; `signal` aborts when the other server no longer waits. */
export type Answerer = (body: unknown, signal: AbortSignal) => Promise<unknown>

interface Waiting {
  /** The only server that may answer. */
  server: string
  resolve(result: unknown): void
  reject(error: Error): void
}

interface MessagesOptions {
  redis: Redis
  prefix: string
  id: string
  clock: Clock
  log: Log
  secret: ClusterSecret
  /** Messages of other servers may have been lost. */
  onMissed(): void
}

/** Messages between the servers, by publish and subscribe of Redis: each arrives at most once, those of one server in order.
 * Redis is not trusted: a message is sealed by its sender, for its receiver, and counts once. */
export class Messages {
  readonly #options: MessagesOptions
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #answerers = new Map<string, Answerer>()
  readonly #waiting = new Map<number, Waiting>()
  /** Questions of other servers that are being answered. */
  readonly #answering = new Map<string, AbortController>()
  /** Last sequence of each sender. */
  readonly #sequences = new Map<string, number>()
  #lastId = 0
  #sequence = 0

  constructor(options: MessagesOptions) {
    this.#options = options
    const channels = [this.#toAll, this.#to(options.id)]
    options.redis.subscribe(channels, (text) => this.#received(text), options.onMissed)
  }

  get #toAll(): string {
    return `${this.#options.prefix}all`
  }

  #to(server: string): string {
    return `${this.#options.prefix}to:${server}`
  }

  /** Sends a message to all other servers. Lost while Redis is away. */
  publish(channel: string, body: string): void {
    this.#send(undefined, { kind: 'publish', channel, body }).catch((error: unknown) =>
      this.#options.log.debug({ err: error, channel }, 'A message to the other servers was lost.'),
    )
  }

  subscribe(channel: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set()
    this.#listeners.set(channel, listeners.add(listener))
    return () => void listeners.delete(listener)
  }

  /** Answers the questions of other servers about `method`. */
  answer(method: string, answerer: Answerer): void {
    this.#answerers.set(method, answerer)
  }

  /** Asks another server. Bodies and answers are JSON. Rejects when that server is gone, fails, or does not answer in time. */
  async ask(server: string, method: string, body: unknown, signal?: AbortSignal): Promise<unknown> {
    signal?.throwIfAborted()
    const { clock } = this.#options
    const id = ++this.#lastId
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { server, resolve, reject }))
    // Handled while the question is being sent, too: a rejection without a handler ends the process.
    answer.catch(() => {})
    const giveUp = (reason: string) => {
      this.#waiting.get(id)?.reject(new Error(reason))
      this.#send(server, { kind: 'cancel', id }).catch(() => {})
    }
    const cancel = clock.after(answerMs, () => giveUp('The other server did not answer in time.'))
    const aborted = () => giveUp('The call was canceled.')
    signal?.addEventListener('abort', aborted)
    try {
      const receivers = await this.#send(server, { kind: 'ask', id, method, body })
      if (receivers === 0) {
        throw new ClusterAway('The other server is gone.')
      }
      return await answer
    } finally {
      cancel()
      signal?.removeEventListener('abort', aborted)
      this.#waiting.delete(id)
    }
  }

  /** Rejects what still waits for an answer. */
  close(): void {
    for (const { reject } of this.#waiting.values()) {
      reject(new ClusterAway('This server is stopping.'))
    }
  }

  async #send(to: string | undefined, message: Message): Promise<number> {
    const { id: from, clock, redis, secret } = this.#options
    const envelope: Envelope = { from, to, sentAt: clock.now(), sequence: ++this.#sequence, message }
    const channel = to === undefined ? this.#toAll : this.#to(to)
    return Number(await redis.command('PUBLISH', channel, secret.seal(JSON.stringify(envelope), 'message')))
  }

  /** The envelope of a message for this server; undefined for one that is forged, for another, old, or repeated. */
  #opened(sealed: string): Envelope | undefined {
    const { id, clock, secret } = this.#options
    const text = secret.unseal(sealed, 'message')
    if (text === undefined) {
      return undefined
    }
    const envelope = JSON.parse(text) as Envelope
    const { from, to, sentAt, sequence } = envelope
    if ((to !== undefined && to !== id) || !isFresh(clock, sentAt) || sequence <= (this.#sequences.get(from) ?? 0)) {
      return undefined
    }
    this.#sequences.set(from, sequence)
    return envelope
  }

  #received(text: string): void {
    const envelope = this.#opened(text)
    if (!envelope || envelope.from === this.#options.id) {
      return
    }
    const { from, message } = envelope
    switch (message.kind) {
      case 'publish':
        this.#listeners.get(message.channel)?.forEach((listener) => listener(message.body, from))
        return
      case 'ask':
        void this.#answer(from, message)
        return
      case 'cancel':
        this.#answering.get(`${from} ${message.id}`)?.abort()
        return
      case 'answer': {
        const found = this.#waiting.get(message.id)
        const waiting = found?.server === from ? found : undefined
        if (message.error === undefined) {
          waiting?.resolve(message.result)
        } else {
          waiting?.reject(new Error(message.error))
        }
      }
    }
  }

  async #answer(from: string, { id, method, body }: Extract<Message, { kind: 'ask' }>): Promise<void> {
    const key = `${from} ${id}`
    const canceled = new AbortController()
    this.#answering.set(key, canceled)
    let answer: Message
    try {
      const answerer = this.#answerers.get(method)
      if (!answerer) {
        throw new Error(`This server does not know the method ${method}.`)
      }
      answer = { kind: 'answer', id, result: await answerer(body, canceled.signal) }
    } catch (error) {
      answer = { kind: 'answer', id, error: error instanceof Error ? error.message : String(error) }
    }
    this.#answering.delete(key)
    if (!canceled.signal.aborted) {
      await this.#send(from, answer).catch((error: unknown) =>
        this.#options.log.warn({ err: error, method }, 'An answer to another server was lost.'),
      )
    }
  }
}
