import {
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
  type Context,
  type HrTime,
  type Span,
  type SpanContext,
  type TraceState,
} from '@opentelemetry/api'
import type { resources, tracing } from '@opentelemetry/sdk-node'
import { scopeName, type Labels } from './instruments.ts'

/** The part that all spans of one name and outcome share. */
export interface SpanShape {
  readonly name: string
  readonly attributes: Labels
  readonly isError: boolean
}

/** Writes an id of `count` words of 32 bits; a random id without a text. */
function writeId(words: Uint32Array, at: number, count: number, text: string | undefined): void {
  for (let word = 0; word < count; word++) {
    words[at + word] =
      text === undefined ? Math.random() * 2 ** 32 : Number.parseInt(text.slice(word * 8, word * 8 + 8), 16)
  }
}

const readId = (words: Uint32Array, at: number, count: number) =>
  Array.from(words.subarray(at, at + count), (word) => word.toString(16).padStart(8, '0')).join('')

function randomId(count: number): string {
  const words = new Uint32Array(count)
  writeId(words, 0, count, undefined)
  return readId(words, 0, count)
}

/**
 * Context of a running span. Its ids are made when a child, a line of the log or a request to another server reads them:
 * few requests have any of these.
 */
export class LightSpan implements SpanContext {
  readonly parent: SpanContext | undefined
  traceFlags: TraceFlags = TraceFlags.SAMPLED
  #traceId: string | undefined
  #spanId: string | undefined

  constructor(parent: SpanContext | undefined) {
    this.parent = parent
    this.#traceId = parent?.traceId
  }

  get traceId(): string {
    return (this.#traceId ??= randomId(4))
  }

  get spanId(): string {
    return (this.#spanId ??= randomId(2))
  }

  get traceState(): TraceState | undefined {
    return this.parent?.traceState
  }

  /** Writes the ids of trace, span and parent: eight words. */
  writeIds(words: Uint32Array, at: number): void {
    writeId(words, at, 4, this.#traceId)
    writeId(words, at + 4, 2, this.#spanId)
    if (this.parent) {
      writeId(words, at + 6, 2, this.parent.spanId)
    }
  }
}

/** The key of the active span in a context. */
let spanKey: symbol
trace.setSpan({ setValue: (key: symbol) => void (spanKey = key) } as never, {} as Span)

/** A context with a span on top of another: those of the API copy a Map. */
export class SpanOnTop implements Context {
  readonly #below: Context
  readonly #span: Span

  constructor(below: Context, span: SpanContext) {
    this.#below = below
    this.#span = trace.wrapSpanContext(span)
  }

  getValue(key: symbol): unknown {
    return key === spanKey ? this.#span : this.#below.getValue(key)
  }

  setValue(key: symbol, value: unknown): Context {
    return trace.setSpan(this.#below, this.#span).setValue(key, value)
  }

  deleteValue(key: symbol): Context {
    return trace.setSpan(this.#below, this.#span).deleteValue(key)
  }
}

export const idWords = 8

const hrTime = (ms: number): HrTime => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)]

/** Ended spans as numbers: objects that wait for an export would cost more in garbage collection than all the rest. */
export class SpanBatch {
  /** Trace, span and parent of each span; the parent is 0 for a root. */
  readonly ids: Uint32Array
  /** Start and end of each span, in ms since 1970. */
  readonly times: Float64Array
  readonly shapes: SpanShape[] = []
  /** Trace states by the index of their span: few callers send one. */
  readonly states = new Map<number, TraceState>()

  constructor(capacity: number) {
    this.ids = new Uint32Array(capacity * idWords)
    this.times = new Float64Array(capacity * 2)
  }

  get size(): number {
    return this.shapes.length
  }

  hasParent(index: number): boolean {
    return this.ids[index * idWords + 6] !== 0 || this.ids[index * idWords + 7] !== 0
  }

  add(shape: SpanShape, span: LightSpan, startedAt: number, endedAt: number): void {
    const index = this.size
    span.writeIds(this.ids, index * idWords)
    this.times[index * 2] = startedAt
    this.times[index * 2 + 1] = endedAt
    if (span.traceState) {
      this.states.set(index, span.traceState)
    }
    this.shapes.push(shape)
  }

  /** The spans as the exporters of the SDK read them. */
  readable(resource: resources.Resource): tracing.ReadableSpan[] {
    return this.shapes.map(({ name, attributes, isError }, index) => {
      const [startedAt, endedAt] = [this.times[index * 2]!, this.times[index * 2 + 1]!]
      const id = (word: number, count: number) => readId(this.ids, index * idWords + word, count)
      const traceId = id(0, 4)
      const traceFlags = TraceFlags.SAMPLED
      const traceState = this.states.get(index)
      const spanContext = { traceId, spanId: id(4, 2), traceFlags, ...(traceState && { traceState }) }
      return {
        name,
        kind: SpanKind.SERVER,
        spanContext: () => spanContext,
        ...(this.hasParent(index) && { parentSpanContext: { traceId, spanId: id(6, 2), traceFlags, isRemote: true } }),
        startTime: hrTime(startedAt),
        endTime: hrTime(endedAt),
        duration: hrTime(endedAt - startedAt),
        status: { code: isError ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
        attributes,
        links: [],
        events: [],
        ended: true,
        resource,
        instrumentationScope: { name: scopeName },
        droppedAttributesCount: 0,
        droppedEventsCount: 0,
        droppedLinksCount: 0,
      }
    })
  }
}
