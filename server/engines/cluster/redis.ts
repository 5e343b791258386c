import { createClient } from '@redis/client'
import type { Cancel, Clock } from '../../ground/clock.ts'
import type { Log } from '../../ground/log.ts'
import { ClusterAway } from './cluster-away.ts'

/** Time limit of a command: a frozen Redis keeps its connections open. */
const commandMs = 2_000
const longestRetryMs = 2_000
/** Ping interval of the subscription connection, which sends no commands. */
const pingMs = 3_000

export interface RedisOptions {
  /** With `rediss:` for TLS, and the user and password of an ACL. */
  url: string
  /** PEM of the authorities for TLS; undefined for those of the system. */
  ca: string | undefined
  clock: Clock
  log: Log
}

const clientOf = ({ url, ca }: RedisOptions) =>
  createClient({
    url,
    RESP: 2,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: commandMs,
      reconnectStrategy: (retries: number) => Math.min(50 * 2 ** retries, longestRetryMs),
      ...(url.startsWith('rediss:') && { tls: true as const, ...(ca !== undefined && { ca }) }),
    },
  })
type RedisClient = ReturnType<typeof clientOf>

/** Connections to Redis: one for commands, and one for subscriptions, which takes no others. Both reconnect by themselves. */
export class Redis {
  readonly #clock: Clock
  readonly #commands: RedisClient
  readonly #subscriptions: RedisClient
  #cancelPings: Cancel = () => {}

  constructor(options: RedisOptions) {
    this.#clock = options.clock
    this.#commands = clientOf(options)
    this.#subscriptions = clientOf(options)
    for (const client of [this.#commands, this.#subscriptions]) {
      // Reported by the members, once: this event comes with each failed attempt.
      client.on('error', (error: unknown) => options.log.debug({ err: error }, 'Redis cannot be reached.'))
    }
  }

  /**
   * Begins to connect, and goes on until `close`; `onReady` is called for each connection that takes commands. Resolves with
   * the first one, or without it after the time of a command.
   */
  async open(onReady: () => void): Promise<void> {
    const first = new Promise<void>((resolve) => {
      this.#commands.on('ready', onReady)
      this.#commands.once('ready', resolve)
      this.#clock.after(commandMs, resolve)
    })
    for (const client of [this.#commands, this.#subscriptions]) {
      // Retried as the strategy says; rejects when closed meanwhile.
      client.connect().catch(() => {})
    }
    this.#cancelPings = this.#clock.every(pingMs, () => void this.#run(this.#subscriptions, 'PING').catch(() => {}))
    await first
  }

  /** Runs a command. Rejects with `ClusterAway`, whose cause says why: no connection, no answer in time, a missing right. */
  command(...args: readonly string[]): Promise<unknown> {
    return this.#run(this.#commands, ...args)
  }

  async #run(client: RedisClient, ...args: readonly string[]): Promise<unknown> {
    const timeout = new AbortController()
    // After a pause of the process, answers that have arrived are read before the timeout counts.
    const cancel = this.#clock.after(commandMs, () => setImmediate(() => timeout.abort()))
    try {
      return await Promise.race([client.sendCommand([...args]), rejectedOn(timeout.signal)])
    } catch (error) {
      if (timeout.signal.aborted && client.isReady) {
        // After lost packets, TCP tries the old connection for minutes, and a subscription receives nothing.
        client.destroy()
        client.connect().catch(() => {})
      }
      throw new ClusterAway('Redis does not answer.', { cause: error })
    } finally {
      cancel()
    }
  }

  /** Runs a Lua script, which Redis runs alone. */
  script(text: string, keys: readonly string[], ...args: readonly string[]): Promise<unknown> {
    return this.command('EVAL', text, String(keys.length), ...keys, ...args)
  }

  /** Subscribes to channels, again after each reconnection; `onAgain` is called then, because messages were lost meanwhile. */
  subscribe(channels: readonly string[], listener: (message: string) => void, onAgain: () => void): void {
    let isAgain = false
    const subscribe = async () => {
      await this.#subscriptions.subscribe([...channels], listener)
      if (isAgain) {
        onAgain()
      }
      isAgain = true
    }
    this.#subscriptions.on('ready', () => {
      subscribe().catch(() => {
        // The connection was lost again: its next one subscribes.
      })
    })
  }

  close(): void {
    this.#cancelPings()
    this.#commands.destroy()
    this.#subscriptions.destroy()
  }
}

const rejectedOn = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('No answer in time.'))))
