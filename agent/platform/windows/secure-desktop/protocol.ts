/**
 * Requests of a desktop's process to the helper that sees the secure desktop. The helper runs as SYSTEM and the other end
 * as the person, so there are three requests of numbers alone: a picture of an area, input events for `SendInput`, and the displays.
 */
import { inputBytes } from '../desktop/input-events.ts'
import type { Rectangle } from '../../desktop/desktop.ts'

const frame = 1
const input = 2
const displays = 3
const frameBytes = 17
const inputHeadBytes = 2
/** Text is typed in pieces of 32 characters, each at most two units that are pressed and released. */
const maxEvents = 200
const maxSide = 16_384
const maxPixels = 64 * 1024 * 1024
/** `INPUT_MOUSE` and `INPUT_KEYBOARD` */
const kinds = [0, 1]

/** Length of the head of an answer: whether Windows showed the area, and the number of bytes that follow. */
export const answerHeadBytes = 5
/** Limit for the bytes of one picture. */
export const maxAnswerBytes = maxPixels * 4

export type SecureRequest = 'displays' | { area: Rectangle } | { events: Buffer; count: number }

/** Answered with the displays as JSON. */
export const displaysRequest = Buffer.from([displays])

export function frameRequest({ x, y, width, height }: Rectangle): Buffer {
  const request = Buffer.alloc(frameBytes)
  request[0] = frame
  for (const [index, value] of [x, y, width, height].entries()) {
    request.writeInt32LE(value, 1 + index * 4)
  }
  return request
}

export const inputRequest = (events: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from([input, events.length]), ...events])

export function answerHead(isShown: boolean, byteCount: number): Buffer {
  const head = Buffer.alloc(answerHeadBytes)
  head[0] = isShown ? 1 : 0
  head.writeUInt32LE(byteCount, 1)
  return head
}

function readFrame(bytes: Buffer): SecureRequest {
  const [x = 0, y = 0, width = 0, height = 0] = [1, 5, 9, 13].map((at) => bytes.readInt32LE(at))
  const isSane = width > 0 && height > 0 && width <= maxSide && height <= maxSide && width * height <= maxPixels
  if (!isSane) {
    throw new RangeError('The area is not one of a screen.')
  }
  return { area: { x, y, width, height } }
}

function readInput(bytes: Buffer, count: number): SecureRequest {
  const events = Buffer.from(bytes.subarray(inputHeadBytes, inputHeadBytes + count * inputBytes))
  for (let at = 0; at < events.length; at += inputBytes) {
    if (!kinds.includes(events.readUInt32LE(at))) {
      throw new RangeError('The event is of no known kind.')
    }
  }
  return { events, count }
}

/** Splits the bytes of a pipe into requests. */
export class RequestReader {
  #pending = Buffer.alloc(0)

  /** Returns the complete requests. Throws on anything else, after which the pipe must be closed. */
  read(chunk: Buffer): SecureRequest[] {
    this.#pending = Buffer.concat([this.#pending, chunk])
    const requests: SecureRequest[] = []
    for (let next = this.#next(); next; next = this.#next()) {
      requests.push(next)
    }
    return requests
  }

  #next(): SecureRequest | undefined {
    const [operation, count = 0] = this.#pending
    if (operation === displays) {
      this.#pending = this.#pending.subarray(displaysRequest.length)
      return 'displays'
    }
    if (operation === undefined || (operation === input && this.#pending.length < inputHeadBytes)) {
      return undefined
    }
    if ((operation !== frame && operation !== input) || (operation === input && (count < 1 || count > maxEvents))) {
      throw new RangeError('The request is of no known kind.')
    }
    const length = operation === frame ? frameBytes : inputHeadBytes + count * inputBytes
    if (this.#pending.length < length) {
      return undefined
    }
    const request = this.#pending.subarray(0, length)
    this.#pending = this.#pending.subarray(length)
    return operation === frame ? readFrame(request) : readInput(request, count)
  }
}
