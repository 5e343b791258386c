import { InvalidDataException } from '../errors.ts'
import { readBase64Item } from './base64-items.ts'
import {
  MessageType,
  readable,
  unknownMessage,
  type Completion,
  type HubProtocol,
  type Message,
  type UnknownMessage,
} from './messages.ts'
import { findRecord, recordSeparator, skipRecord, textOf } from './text-frames.ts'

type JsonObject = Readonly<Record<string, unknown>>

const maxDepth = 64

/** Reads one message from its JSON text. */
export function parseMessage(text: string): Message {
  const json = parseObject(text)
  const type = json['type']
  if (type === undefined) {
    throw missing('type')
  }
  if (typeof type !== 'number') {
    throw wrongType('type', 'Number')
  }
  checkHeaders(json['headers'])
  switch (type) {
    case MessageType.Invocation:
      return { type, invocationId: optionalString(json, 'invocationId') || undefined, ...invocationBody(json) }
    case MessageType.StreamInvocation:
      return { type, invocationId: invocationId(json), ...invocationBody(json) }
    case MessageType.StreamItem:
      if (json['item'] === undefined) {
        throw missing('item')
      }
      return { type, invocationId: invocationId(json), item: json['item'] }
    case MessageType.Completion:
      return completion(json)
    case MessageType.CancelInvocation:
      return { type, invocationId: invocationId(json) }
    case MessageType.Ping:
      return { type }
    case MessageType.Close:
      return { type, error: optionalString(json, 'error'), allowReconnect: json['allowReconnect'] === true }
    case MessageType.Ack:
    case MessageType.Sequence:
      return { type, sequenceId: sequenceId(json) }
    default:
      return unknownMessage
  }
}

/** Encodes one message as text, with its separator. */
export function writeMessage(message: Exclude<Message, UnknownMessage>): string {
  switch (message.type) {
    case MessageType.Invocation:
    case MessageType.StreamInvocation: {
      const id = message.invocationId === undefined ? '' : `"invocationId":${quote(message.invocationId)},`
      const streamIds = message.streamIds.length > 0 ? `,"streamIds":${JSON.stringify(message.streamIds)}` : ''
      const args = readable(message.args).map(writeValue).join(',')
      return `{"type":${message.type},${id}"target":${quote(message.target)},"arguments":[${args}]${streamIds}}\x1e`
    }
    case MessageType.StreamItem:
      return `{"type":2,"invocationId":${quote(message.invocationId)},"item":${writeValue(message.item)}}\x1e`
    case MessageType.Completion: {
      const { error, hasResult, result } = message
      const outcome = error ? `,"error":${quote(error)}` : hasResult ? `,"result":${writeValue(result)}` : ''
      return `{"type":3,"invocationId":${quote(message.invocationId)}${outcome}}\x1e`
    }
    case MessageType.Close: {
      const error = message.error === undefined ? '' : `,"error":${quote(message.error)}`
      return `{"type":7${error}${message.allowReconnect ? ',"allowReconnect":true' : ''}}\x1e`
    }
    default:
      return JSON.stringify(message) + recordSeparator
  }
}

export const jsonProtocol: HubProtocol = {
  name: 'json',
  format: 'Text',
  read(input, maxBytes, maxValues = Infinity) {
    const record = findRecord(input, maxBytes)
    if (!record) {
      return undefined
    }
    const item = readBase64Item(record)
    const text = item ? '' : textOf(record)
    skipRecord(input, record)
    if (item) {
      return item
    }
    if (hasMoreValuesThan(maxValues, text)) {
      throw new InvalidDataException(`The maximum of ${maxValues} values in a message was exceeded.`)
    }
    return parseMessage(text)
  },
  write: (message) => writeMessage(message as Exclude<Message, UnknownMessage>),
}

const [doubleQuote, backslash, comma, openBracket, openBrace] = ['"', '\\', ',', '[', '{'].map((text) =>
  text.charCodeAt(0),
)

/** Index of the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let end = start
  do {
    end = text.indexOf('"', end + 1)
    if (end === -1) {
      return text.length
    }
  } while (isEscaped(text, end))
  return end
}

/** True if an odd number of backslashes precedes `at`. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === backslash) {
    first--
  }
  return (at - first) % 2 === 1
}

/** Counts values, including objects and lists, in a JSON text without parsing the text. */
function hasMoreValuesThan(limit: number, text: string): boolean {
  let values = 0
  // A value and its separator take at least two characters.
  for (let at = text.length > 2 * limit ? 0 : text.length; at < text.length && values <= limit; at++) {
    const code = text.charCodeAt(at)
    if (code === doubleQuote) {
      at = endOfString(text, at)
    } else if (code === comma || code === openBracket || code === openBrace) {
      values++
    }
  }
  return values > limit
}

function parseObject(text: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new InvalidDataException('Error reading JSON.')
  }
  if (!isObject(value)) {
    throw new InvalidDataException('Unexpected JSON token. Expected a JSON Object.')
  }
  if (countBrackets(text, maxDepth) > maxDepth && isDeeperThan(maxDepth, value)) {
    throw new InvalidDataException(`Error reading JSON. The maximum depth of ${maxDepth} was exceeded.`)
  }
  return value
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Counts opening brackets, including those in strings, up to one more than `limit`: few brackets rule out deep nesting.
 */
function countBrackets(text: string, limit: number): number {
  let count = 0
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1 && count <= limit; at = text.indexOf(bracket, at + 1)) {
      count++
    }
  }
  return count
}

/** Rejects deep nesting, which would exhaust the stack of later recursive code. */
function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    return false
  }
  if (depth === 0) {
    return true
  }
  for (const key in value) {
    if (isDeeperThan(depth - 1, (value as JsonObject)[key])) {
      return true
    }
  }
  return false
}

function invocationBody(json: JsonObject) {
  const target = optionalString(json, 'target')
  if (target === undefined) {
    throw missing('target')
  }
  const args = json['arguments']
  if (args === undefined) {
    throw missing('arguments')
  }
  if (!Array.isArray(args)) {
    throw wrongType('arguments', 'Array')
  }
  return { target, args: args as readonly unknown[], streamIds: streamIds(json['streamIds']) }
}

const noStreamIds: readonly string[] = []

function streamIds(value: unknown): readonly string[] {
  if (value === undefined) {
    return noStreamIds
  }
  if (!Array.isArray(value)) {
    throw wrongType('streamIds', 'Array')
  }
  if (!value.every((id) => typeof id === 'string' && id !== '')) {
    throw wrongType('streamIds', 'String')
  }
  return value as readonly string[]
}

function completion(json: JsonObject): Completion {
  const error = optionalString(json, 'error')
  const result = json['result']
  const hasResult = result !== undefined
  if (error !== undefined && hasResult) {
    throw new InvalidDataException("The 'error' and 'result' properties are mutually exclusive.")
  }
  return { type: MessageType.Completion, invocationId: invocationId(json), error, hasResult, result }
}

function invocationId(json: JsonObject): string {
  const id = optionalString(json, 'invocationId')
  if (!id) {
    throw missing('invocationId')
  }
  return id
}

function sequenceId(json: JsonObject): number {
  const id = json['sequenceId']
  if (id === undefined) {
    throw missing('sequenceId')
  }
  if (typeof id !== 'number') {
    throw wrongType('sequenceId', 'Number')
  }
  return id
}

function optionalString(json: JsonObject, name: string): string | undefined {
  const value = json[name]
  if (value !== undefined && typeof value !== 'string') {
    throw wrongType(name, 'String')
  }
  return value
}

function checkHeaders(headers: unknown): void {
  if (headers === undefined) {
    return
  }
  if (!isObject(headers)) {
    throw wrongType('headers', 'Object')
  }
  for (const value of Object.values(headers)) {
    if (typeof value !== 'string') {
      throw wrongType('headers', 'String')
    }
  }
}

const missing = (name: string) => new InvalidDataException(`Missing required property '${name}'.`)
const wrongType = (name: string, type: string) => new InvalidDataException(`Expected '${name}' to be of type ${type}.`)

const quote = (text: string): string => JSON.stringify(text)

/** JSON.stringify returns undefined for undefined; the protocol requires null. */
function writeValue(value: unknown): string {
  if (value instanceof Uint8Array) {
    return `"${base64(value)}"`
  }
  const replacer = isReference(value) && holdsBytes(value, maxDepth) ? bytesToBase64 : undefined
  return JSON.stringify(value, replacer) ?? 'null'
}

const isReference = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Checks for bytes first, because JSON.stringify is several times slower with a replacer. */
function holdsBytes(value: object, depth: number): boolean {
  if (value instanceof Uint8Array) {
    return true
  }
  if (depth === 0) {
    return false
  }
  if (Array.isArray(value)) {
    return value.some((item) => isReference(item) && holdsBytes(item, depth - 1))
  }
  for (const key in value) {
    const member = (value as JsonObject)[key]
    if (isReference(member) && holdsBytes(member, depth - 1)) {
      return true
    }
  }
  return false
}

const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')

/** Encodes bytes as base64. `this` holds the value before a Buffer's own `toJSON`. */
function bytesToBase64(this: JsonObject, key: string, value: unknown): unknown {
  const original = this[key]
  if (!(original instanceof Uint8Array)) {
    return value
  }
  return base64(original)
}
