import type { z } from 'zod'
import { deferred } from '../../shared/deferred.ts'
import type { Clock } from '../base/clock.ts'
import { CallMessage, type CallTable } from './messages.ts'

type Args<T extends CallTable, K extends keyof T> = z.output<T[K]['args']>
type Result<T extends CallTable, K extends keyof T> = z.output<T[K]['result']>

export type CallHandlers<T extends CallTable> = {
  [K in keyof T]: (args: Args<T, K>) => Result<T, K> | Promise<Result<T, K>>
}

/** Limit for concurrent calls; our own processes stay below it. */
const maxRunning = 64

export class CallTimeout extends Error {}

interface CallsDependencies<Out extends CallTable, In extends CallTable> {
  clock: Clock
  asks: Out
  /** Calls received from the peer. */
  answers: In
  handlers: CallHandlers<In>
  send: (message: CallMessage) => void
}

interface Waiting {
  name: string
  resolve: (result: unknown) => void
  reject: (error: Error) => void
}

/** Bidirectional calls over a message channel. Validates every received message: the peer is untrusted. */
export class Calls<Out extends CallTable, In extends CallTable> {
  readonly #deps: CallsDependencies<Out, In>
  readonly #waiting = new Map<number, Waiting>()
  #lastNumber = 0
  #running = 0
  #closedBy: Error | undefined

  constructor(deps: CallsDependencies<Out, In>) {
    this.#deps = deps
  }

  /** Rejects with the peer's reason, with `CallTimeout`, or when the channel is closed. */
  ask<K extends keyof Out & string>(name: K, args: Args<Out, K>, timeoutMs: number): Promise<Result<Out, K>> {
    if (this.#closedBy) {
      return Promise.reject(this.#closedBy)
    }
    const number = ++this.#lastNumber
    const { promise, resolve, reject } = deferred<unknown>()
    this.#waiting.set(number, { name, resolve, reject })
    const cancel = this.#deps.clock.after(timeoutMs, () => {
      reject(new CallTimeout(`No answer to "${name}" within ${timeoutMs / 1000} s.`))
    })
    this.#deps.send({ call: number, name, args })
    return promise.finally(() => {
      cancel()
      this.#waiting.delete(number)
    }) as Promise<Result<Out, K>>
  }

  /** Call with each received message. Invalid messages are ignored. */
  receive(received: unknown): void {
    const message = CallMessage.safeParse(received).data
    if (!message) {
      return
    }
    if ('call' in message) {
      void this.#answer(message.call, message.name, message.args)
      return
    }
    const waiting = this.#waiting.get(message.answer)
    if (waiting && 'problem' in message) {
      waiting.reject(new Error(message.problem))
    } else if (waiting && 'result' in message) {
      const result = this.#deps.asks[waiting.name]!.result.safeParse(message.result)
      if (result.success) {
        waiting.resolve(result.data)
      } else {
        waiting.reject(new Error(`The answer to "${waiting.name}" is malformed.`))
      }
    }
  }

  /** Rejects all pending calls and every further call. */
  close(reason: string): void {
    this.#closedBy ??= new Error(reason)
    this.#waiting.forEach(({ reject }) => reject(this.#closedBy!))
  }

  async #answer(number: number, name: string, given: unknown) {
    const { answers, handlers, send } = this.#deps
    try {
      const definition = Object.hasOwn(answers, name) ? answers[name] : undefined
      if (!definition || this.#running >= maxRunning) {
        throw new Error(definition ? 'Too many calls are running.' : `There is no call "${name}".`)
      }
      this.#running++
      try {
        const args = definition.args.safeParse(given)
        if (!args.success) {
          throw new Error(`The call "${name}" is malformed.`)
        }
        send({ answer: number, result: await handlers[name]!(args.data as never) })
      } finally {
        this.#running--
      }
    } catch (error) {
      send({ answer: number, problem: (error as Error).message.slice(0, 1000) })
    }
  }
}
