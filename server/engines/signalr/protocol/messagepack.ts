import { Decoder, Encoder } from '@msgpack/msgpack'
import { InvalidDataException, toError } from '../errors.ts'
import { readBinaryFrame, writeBinaryFrame } from './binary-frames.ts'
import { decodeLargeIntegers, encodeExactly } from './messagepack-integers.ts'
import { checkMessagePackShape, elementsOf, type Shape } from './messagepack-shape.ts'
import {
  MessageType,
  readable,
  unknownMessage,
  Unreadable,
  type Completion,
  type HubProtocol,
  type Message,
} from './messages.ts'

const resultKind = { error: 1, void: 2, value: 3 } as const

const decoder = new Decoder()
let encoder = newEncoder()
const maxKeptEncoderBytes = 1_048_576

/** Copies bytes, which share the memory of the received chunk: an item may wait for its reader. */
const ownItem = (item: unknown) => (item instanceof Uint8Array ? new Uint8Array(item) : item)

/** Decodes one message from its body. */
export function decodeMessage(body: Uint8Array, maxValues = Infinity): Message {
  const array = decodeArray(body, maxValues)
  const type = array[0]
  if (!Number.isInteger(type)) {
    throw new InvalidDataException("Reading 'type' as Int32 failed.")
  }
  switch (type) {
    case MessageType.Invocation:
      return { type, invocationId: optionalString(headed(array, 5)[2], 'invocationId') || undefined, ...call(array) }
    case MessageType.StreamInvocation:
      return { type, invocationId: nonEmptyString(headed(array, 5)[2], 'invocationId'), ...call(array) }
    case MessageType.StreamItem:
      return { type, invocationId: nonEmptyString(headed(array, 4)[2], 'invocationId'), item: ownItem(array[3]) }
    case MessageType.Completion:
      return completion(headed(array, 4))
    case MessageType.CancelInvocation:
      return { type, invocationId: nonEmptyString(headed(array, 3)[2], 'invocationId') }
    case MessageType.Ping:
      return { type }
    case MessageType.Close:
      return { type, error: optionalString(atLeast(array, 2)[1], 'error'), allowReconnect: array[2] === true }
    case MessageType.Ack:
    case MessageType.Sequence:
      if (!Number.isInteger(array[1])) {
        throw new InvalidDataException("Reading 'sequenceId' as Int64 failed.")
      }
      return { type, sequenceId: array[1] as number }
    default:
      return unknownMessage
  }
}

/** Encodes one message, prefixed with its length. */
export function encodeMessage(message: Message): Uint8Array {
  const frame = writeBinaryFrame(encodeExactly(encoder, toArray(message)))
  // The encoder never shrinks its buffer.
  if (frame.length > maxKeptEncoderBytes) {
    encoder = newEncoder()
  }
  return frame
}

export const messagePackProtocol: HubProtocol = {
  name: 'messagepack',
  format: 'Binary',
  read(input, maxBytes, maxValues) {
    const body = readBinaryFrame(input, maxBytes)
    return body === undefined ? undefined : decodeMessage(body, maxValues)
  },
  write: encodeMessage,
}

/** Undefined members are left out, as in JSON: readers use their defaults. */
function newEncoder(): Encoder {
  return new Encoder({ ignoreUndefined: true })
}

function toArray(message: Message): unknown[] {
  switch (message.type) {
    case MessageType.Invocation:
    case MessageType.StreamInvocation:
      return [message.type, {}, message.invocationId ?? null, message.target, readable(message.args), message.streamIds]
    case MessageType.StreamItem:
      return [message.type, {}, message.invocationId, message.item]
    case MessageType.Completion: {
      const { type, invocationId, error, hasResult, result } = message
      if (error) {
        return [type, {}, invocationId, resultKind.error, error]
      }
      return hasResult ? [type, {}, invocationId, resultKind.value, result] : [type, {}, invocationId, resultKind.void]
    }
    case MessageType.CancelInvocation:
      return [message.type, {}, message.invocationId]
    case MessageType.Close:
      return [message.type, message.error ?? null, message.allowReconnect]
    case MessageType.Ack:
    case MessageType.Sequence:
      return [message.type, message.sequenceId]
    default:
      return [message.type]
  }
}

function decodeArray(body: Uint8Array, maxValues: number): readonly unknown[] {
  const shape = checkMessagePackShape(body, maxValues)
  let value: unknown
  try {
    value = decodeValue(body, shape)
  } catch {
    // An element may be the cause, and the other elements identify its call.
    value = elementsOf(body)?.map(decodeElement)
  }
  if (!Array.isArray(value)) {
    throw new InvalidDataException('Reading array length failed.')
  }
  return value
}

function decodeValue(bytes: Uint8Array, { isTooDeep, hasLargeIntegers }: Shape): unknown {
  if (isTooDeep) {
    throw new InvalidDataException('The value is nested too deep.')
  }
  return hasLargeIntegers ? decodeLargeIntegers(bytes) : decoder.decode(bytes)
}

function decodeElement(bytes: Uint8Array): unknown {
  try {
    return decodeValue(bytes, checkMessagePackShape(bytes))
  } catch (thrown) {
    return new Unreadable(new InvalidDataException(`Error reading MessagePack. ${toError(thrown).message}`))
  }
}

function call(array: readonly unknown[]) {
  const [, , , target, args, ids = []] = array
  if (typeof target !== 'string' || target === '') {
    throw new InvalidDataException("Reading 'target' as String failed.")
  }
  if (!Array.isArray(args) && !(args instanceof Unreadable)) {
    throw new InvalidDataException("Reading array length for 'arguments' failed.")
  }
  if (!Array.isArray(ids)) {
    throw new InvalidDataException("Reading array length for 'streamIds' failed.")
  }
  for (const id of ids) {
    nonEmptyString(id, 'streamIds')
  }
  return { target, args: args as readonly unknown[] | Unreadable, streamIds: ids as readonly string[] }
}

function completion(array: readonly unknown[]): Completion {
  const [, , id, kind, outcome] = array
  const invocationId = nonEmptyString(id, 'invocationId')
  const base = { type: MessageType.Completion, invocationId, error: undefined, hasResult: false, result: undefined }
  switch (kind) {
    case resultKind.error:
      return { ...base, error: optionalString(atLeast(array, 5)[4], 'error') ?? '' }
    case resultKind.void:
      return base
    case resultKind.value:
      return { ...base, hasResult: true, result: atLeast(array, 5) && outcome }
    default:
      throw new InvalidDataException('Invalid invocation result kind.')
  }
}

/** Messages 1 to 5 carry headers; the server ignores them, but they must be well formed. */
function headed(array: readonly unknown[], minLength: number): readonly unknown[] {
  const headers = atLeast(array, minLength)[1]
  if (typeof headers !== 'object' || headers === null || Object.getPrototypeOf(headers) !== Object.prototype) {
    throw new InvalidDataException("Reading map length for 'headers' failed.")
  }
  for (const [name, value] of Object.entries(headers)) {
    nonEmptyString(name, 'headers')
    nonEmptyString(value, 'headers')
  }
  return array
}

function atLeast(array: readonly unknown[], length: number): readonly unknown[] {
  if (array.length < length) {
    throw new InvalidDataException(`Expected ${length} elements, got ${array.length}.`)
  }
  return array
}

function optionalString(value: unknown, name: string): string | undefined {
  if (value === null || value === undefined) {
    return undefined
  }
  if (typeof value !== 'string') {
    throw new InvalidDataException(`Reading '${name}' as String failed.`)
  }
  return value
}

function nonEmptyString(value: unknown, name: string): string {
  if (typeof value !== 'string' || value === '') {
    throw new InvalidDataException(`Reading '${name}' as String failed.`)
  }
  return value
}
