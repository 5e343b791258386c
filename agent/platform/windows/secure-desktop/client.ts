import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { parseJson } from '../../../../shared/contract/parse-json.ts'
import { UserError } from '../../../base/errors.ts'
import type { Display, Rectangle } from '../../desktop/desktop.ts'
import { answerHeadBytes, displaysRequest, frameRequest, inputRequest, maxAnswerBytes } from './protocol.ts'

const Rectangle = z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() })
const Displays = z.array(z.object({ id: z.string(), name: z.string(), isPrimary: z.boolean(), bounds: Rectangle }))

const comingMs = 10_000
const retryMs = 50
const answerMs = 5000
const bytesPerPixel = 4

/** Throws the reason as a UserError. */
function refuse(): never {
  throw new UserError('Windows does not show its secure desktop at the moment.')
}

/** Connects as soon as the helper has created its pipe. Rejects with a UserError. */
async function connectTo(name: string): Promise<Socket> {
  for (const until = performance.now() + comingMs; ;) {
    const socket = connect(name)
    try {
      await once(socket, 'connect')
      return socket
    } catch {
      if (performance.now() > until) {
        throw new UserError('The helper for the secure desktop did not start.')
      }
      await wait(retryMs)
    }
  }
}

/** Rejects if the helper is gone. */
async function readAnswer(socket: Socket): Promise<Buffer> {
  let chunks: Buffer[] = []
  let length = 0
  let wanted: number | undefined
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (wanted === undefined && length >= answerHeadBytes) {
      chunks = [Buffer.concat(chunks)]
      wanted = answerHeadBytes + Math.min(chunks[0]!.readUInt32LE(1), maxAnswerBytes)
    }
    if (wanted !== undefined && length >= wanted) {
      return Buffer.concat(chunks).subarray(answerHeadBytes, wanted)
    }
  }
  return refuse()
}

/** Picture and input of the secure desktop, through the helper. Opens the helper on first use. */
export class SecureDesktop {
  readonly #askForHelper: () => Promise<string>
  #opening: Promise<Socket> | undefined
  #socket: Socket | undefined
  #isClosed = false
  /** The last answer that was asked for: the helper answers in order. */
  #asking: Promise<unknown> = Promise.resolve()

  /** `askForHelper` resolves with the name of the helper's pipe, and rejects with a UserError. */
  constructor(askForHelper: () => Promise<string>) {
    this.#askForHelper = askForHelper
  }

  /** Returns false unless the helper runs. */
  inject(events: readonly Buffer[]): boolean {
    return this.#socket?.write(inputRequest(events)) !== undefined
  }

  /** Resolves with the rows of the area. Rejects with a UserError. */
  async capture(area: Rectangle): Promise<Buffer> {
    const rows = await this.#ask(frameRequest(area))
    return rows.length === area.width * area.height * bytesPerPixel ? rows : refuse()
  }

  /** Resolves with the displays of the session. Rejects with a UserError. */
  async displays(): Promise<Display[]> {
    const answer = await this.#ask(displaysRequest)
    return answer.length > 0 ? Displays.parse(parseJson(answer.toString())) : refuse()
  }

  close(): void {
    this.#isClosed = true
    this.#socket?.destroy()
  }

  #open(): Promise<Socket> {
    this.#opening ??= this.#askForHelper()
      .then(connectTo)
      .then((socket) => {
        this.#socket = socket
        socket.on('error', () => undefined)
        socket.on('close', () => {
          this.#socket = undefined
          this.#opening = undefined
        })
        if (this.#isClosed) {
          socket.destroy()
        }
        return socket
      })
      .catch((error: unknown) => {
        this.#opening = undefined
        throw error
      })
    return this.#opening
  }

  #ask(request: Buffer): Promise<Buffer> {
    const result = this.#asking.then(() => this.#askNow(request))
    this.#asking = result.catch(() => undefined)
    return result
  }

  async #askNow(request: Buffer): Promise<Buffer> {
    const socket = await this.#open()
    socket.write(request)
    const timer = setTimeout(() => socket.destroy(), answerMs)
    const answer = await readAnswer(socket).catch(() => undefined)
    clearTimeout(timer)
    return answer ?? refuse()
  }
}
