import { SpanKind, SpanStatusCode, type Attributes } from '@opentelemetry/api'
import { idWords, type SpanBatch, type SpanShape } from './light-spans.ts'
import { scopeName } from './instruments.ts'

// Protocol Buffers, as far as OTLP needs them: https://protobuf.dev/programming-guides/encoding/
const varint = (value: number): number[] => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)])
const number = (field: number, value: number) => Buffer.from([...varint(field << 3), ...varint(value)])
const text = (field: number, value: string) => message(field, Buffer.from(value))
const head = (field: number, length: number) => Buffer.from([...varint((field << 3) | 2), ...varint(length)])
const lengthOf = (parts: readonly Buffer[]) => parts.reduce((sum, { length }) => sum + length, 0)
const message = (field: number, ...parts: readonly Buffer[]) => Buffer.concat([head(field, lengthOf(parts)), ...parts])

/** AnyValue: texts, flags and whole numbers. */
const anyValue = (value: unknown) =>
  typeof value === 'number' ? number(3, value) : typeof value === 'boolean' ? number(2, +value) : text(1, String(value))

const keyValues = (field: number, attributes: Attributes) =>
  Object.entries(attributes).map(([name, value]) => message(field, text(1, name), message(2, anyValue(value))))

/** Positions within an encoded span, from the tag of its ids on. */
const at = { traceId: 2, spanId: 20, start: 29, end: 38, remote: 49, rest: 52 } as const

/** Fields of fixed length come first, with zeros where spans differ: trace id, span id, start, end and flags. */
function encodeShape({ name, attributes, isError }: SpanShape): Buffer {
  const fixed = Buffer.alloc(at.rest)
  fixed.set([0x0a, 16], 0)
  fixed.set([0x12, 8], 18)
  fixed.set([0x39], 28)
  fixed.set([0x41], 37)
  // Sampled; whether the parent is remote is known.
  fixed.set([0x85, 0x01, 0x01, 0x01], 46)
  return Buffer.concat([
    fixed,
    text(5, name),
    number(6, SpanKind.SERVER + 1),
    ...keyValues(9, attributes),
    ...(isError ? [message(15, number(3, SpanStatusCode.ERROR))] : []),
  ])
}

/** Parent and trace state, which few spans have. */
function encodeCaller({ ids, states }: SpanBatch, index: number): Buffer {
  const parent = Buffer.alloc(8)
  parent.writeUInt32BE(ids[index * idWords + 6]!, 0)
  parent.writeUInt32BE(ids[index * idWords + 7]!, 4)
  const state = states.get(index)?.serialize()
  return Buffer.concat([message(4, parent), ...(state ? [text(3, state)] : [])])
}

const nothing = Buffer.alloc(0)
/** Bytes of the tag and length of a span; its length always takes two. */
const headBytes = 3

/** Encodes batches for the trace service of OTLP. What spans of one shape share is encoded once. */
export class OtlpSpans {
  readonly #resource: Buffer
  readonly #scope = message(1, text(1, scopeName))
  readonly #shapes = new Map<SpanShape, Buffer>()

  constructor(resource: Attributes) {
    this.#resource = message(1, ...keyValues(1, resource))
  }

  /** Encodes a request of the trace service, in memory that is filled once. */
  request(batch: SpanBatch): Buffer {
    const parts = batch.shapes.map((shape, index) => ({
      shape: this.#encodedShape(shape),
      caller: batch.hasParent(index) ? encodeCaller(batch, index) : nothing,
    }))
    const spansLength = parts.reduce((sum, { shape, caller }) => sum + headBytes + shape.length + caller.length, 0)
    const scopeHead = head(2, this.#scope.length + spansLength)
    const first = [this.#resource, scopeHead, this.#scope]
    first.unshift(head(1, lengthOf(first) + spansLength))
    let from = lengthOf(first)
    const bytes = Buffer.concat(first, from + spansLength)
    parts.forEach(({ shape, caller }, index) => {
      const size = shape.length + caller.length
      bytes.set([0x12, (size & 0x7f) | 0x80, size >>> 7], from)
      bytes.set(shape, from + headBytes)
      bytes.set(caller, from + headBytes + shape.length)
      writeFixed(bytes, from + headBytes, batch, index)
      from += headBytes + size
    })
    return bytes
  }

  #encodedShape(shape: SpanShape): Buffer {
    const found = this.#shapes.get(shape) ?? encodeShape(shape)
    this.#shapes.set(shape, found)
    return found
  }
}

function writeTime(bytes: Buffer, position: number, ms: number): void {
  const nanoseconds = ms * 1e6
  bytes.writeUInt32LE(nanoseconds % 2 ** 32, position)
  bytes.writeUInt32LE(Math.floor(nanoseconds / 2 ** 32), position + 4)
}

function writeFixed(bytes: Buffer, from: number, batch: SpanBatch, index: number): void {
  const { ids, times } = batch
  const first = index * idWords
  for (let word = 0; word < 4; word++) {
    bytes.writeUInt32BE(ids[first + word]!, from + at.traceId + word * 4)
  }
  bytes.writeUInt32BE(ids[first + 4]!, from + at.spanId)
  bytes.writeUInt32BE(ids[first + 5]!, from + at.spanId + 4)
  writeTime(bytes, from + at.start, times[index * 2]!)
  writeTime(bytes, from + at.end, times[index * 2 + 1]!)
  bytes[from + at.remote] = batch.hasParent(index) ? 0x03 : 0x01
}
