import type { Clock } from '../../ground/clock.ts'
import type { Log } from '../../ground/log.ts'
import { ClusterAway, type Redis } from './redis.ts'

/** Longest wait for an answer of another server; callers have shorter limits of their own. */
const answerMs = 6 * 60_000

type Message =
  | { kind: 'publish'; from: string; channel: string; body: string }
  | { kind: 'ask'; from: string; id: number; method: string; body: unknown }
  | { kind: 'cancel'; from: string; id: number }
  | { kind: 'answer'; id: number; result?: unknown; error?: string }

export type Listener = (message: string, from: string) => void
/** Answers a question of another server; `signal` aborts when the other server no longer waits. */
export type Answerer = (body: unknown, signal: AbortSignal) => Promise<unknown>

interface Waiting {
  resolve(result: unknown): void
  reject(error: Error): void
}

interface MessagesOptions {
  redis: Redis
  prefix: string
  id: string
  clock: Clock
  log: Log
}

/** Messages between the servers, by publish and subscribe of Redis: each arrives at most once, those of one server in order. */
export class Messages {
  readonly #options: MessagesOptions
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #answerers = new Map<string, Answerer>()
  readonly #waiting = new Map<number, Waiting>()
  /** Questions of other servers that are being answered. */
  readonly #answering = new Map<string, AbortController>()
  #lastId = 0

  constructor(options: MessagesOptions) {
    this.#options = options
    options.redis.subscribe([this.#toAll, this.#to(options.id)], (text) => this.#received(text))
  }

  get #toAll(): string {
    return `${this.#options.prefix}all`
  }

  #to(server: string): string {
    return `${this.#options.prefix}to:${server}`
  }

  /** Sends a message to all other servers. Lost while Redis is away. */
  publish(channel: string, body: string): void {
    this.#send(this.#toAll, { kind: 'publish', from: this.#options.id, channel, body }).catch((error: unknown) =>
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
    const { id: from, clock } = this.#options
    const id = ++this.#lastId
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    const giveUp = (reason: string) => {
      this.#waiting.get(id)?.reject(new Error(reason))
      this.#send(this.#to(server), { kind: 'cancel', from, id }).catch(() => {})
    }
    const cancel = clock.after(answerMs, () => giveUp('The other server did not answer in time.'))
    const aborted = () => giveUp('The call was canceled.')
    signal?.addEventListener('abort', aborted)
    try {
      const receivers = await this.#send(this.#to(server), { kind: 'ask', from, id, method, body })
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

  async #send(channel: string, message: Message): Promise<number> {
    return Number(await this.#options.redis.command('PUBLISH', channel, JSON.stringify(message)))
  }

  #received(text: string): void {
    const message = JSON.parse(text) as Message
    switch (message.kind) {
      case 'publish':
        if (message.from !== this.#options.id) {
          this.#listeners.get(message.channel)?.forEach((listener) => listener(message.body, message.from))
        }
        return
      case 'ask':
        void this.#answer(message)
        return
      case 'cancel':
        this.#answering.get(`${message.from} ${message.id}`)?.abort()
        return
      case 'answer': {
        const waiting = this.#waiting.get(message.id)
        if (message.error === undefined) {
          waiting?.resolve(message.result)
        } else {
          waiting?.reject(new Error(message.error))
        }
      }
    }
  }

  async #answer({ from, id, method, body }: Extract<Message, { kind: 'ask' }>): Promise<void> {
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
      await this.#send(this.#to(from), answer).catch((error: unknown) =>
        this.#options.log.warn({ err: error, method }, 'An answer to another server was lost.'),
      )
    }
  }
}
