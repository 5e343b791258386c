import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { UserError } from '../../../base/errors.ts'
import type { Rectangle } from '../../desktop/desktop.ts'
import { answerHeadBytes, frameRequest, inputRequest, maxAnswerBytes } from './protocol.ts'

const comingMs = 10_000
const retryMs = 50
const captureMs = 5000
const bytesPerPixel = 4

const notSeen = 'Windows does not show its secure desktop at the moment.'

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
  throw new UserError(notSeen)
}

/** Picture and input of the secure desktop, through the helper. Opens the helper on first use. */
export class SecureDesktop {
  readonly #askForHelper: () => Promise<string>
  #opening: Promise<Socket> | undefined
  #socket: Socket | undefined
  #isClosed = false
  /** The last picture that was asked for: the helper makes them in order. */
  #capturing: Promise<unknown> = Promise.resolve()

  /** `askForHelper` resolves with the name of the helper's pipe, and rejects with a UserError. */
  constructor(askForHelper: () => Promise<string>) {
    this.#askForHelper = askForHelper
  }

  /** Returns false unless the helper runs. */
  inject(events: readonly Buffer[]): boolean {
    return this.#socket?.write(inputRequest(events)) !== undefined
  }

  /** Resolves with the rows of the area. Rejects with a UserError. */
  capture(area: Rectangle): Promise<Buffer> {
    const result = this.#capturing.then(() => this.#capture(area))
    this.#capturing = result.catch(() => undefined)
    return result
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

  async #capture(area: Rectangle): Promise<Buffer> {
    const socket = await this.#open()
    socket.write(frameRequest(area))
    const timer = setTimeout(() => socket.destroy(), captureMs)
    const rows = await readAnswer(socket).catch(() => undefined)
    clearTimeout(timer)
    if (rows?.length !== area.width * area.height * bytesPerPixel) {
      throw new UserError(notSeen)
    }
    return rows
  }
}
