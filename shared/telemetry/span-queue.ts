import { ROOT_CONTEXT, context } from '@opentelemetry/api'
import { core } from '@opentelemetry/sdk-node'
import { SpanBatch, type LightSpan, type SpanShape } from './light-spans.ts'

export interface QueueOptions {
  maxQueueSize: number
  maxExportBatchSize: number
  scheduledDelayMillis: number
}

export interface BatchExporter {
  export(batch: SpanBatch, done: (result: { code: number; error?: Error }) => void): void
  shutdown(): Promise<void>
}

/**
 * Ended spans on their way to a destination. A batch is exported when it is full, or after a delay unless the previous
 * one is still under way. Spans that find a full queue are lost.
 */
export class SpanQueue {
  readonly #exporter: BatchExporter
  readonly #batchSize: number
  readonly #maxUnderWay: number
  readonly #delayMs: number
  readonly #underWay = new Set<Promise<void>>()
  #batch: SpanBatch
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(exporter: BatchExporter, { maxQueueSize, maxExportBatchSize, scheduledDelayMillis }: QueueOptions) {
    this.#exporter = exporter
    this.#batchSize = Math.min(maxExportBatchSize, maxQueueSize)
    this.#maxUnderWay = Math.max(1, Math.floor(maxQueueSize / this.#batchSize) - 1)
    this.#delayMs = scheduledDelayMillis
    this.#batch = new SpanBatch(this.#batchSize)
  }

  /** Takes an ended span; times in ms since 1970. */
  add(shape: SpanShape, span: LightSpan, startedAt: number, endedAt: number): void {
    if (this.#batch.size < this.#batchSize && !this.#isStopped) {
      this.#batch.add(shape, span, startedAt, endedAt)
      this.#timer ??= setTimeout(() => this.#sendLate(), this.#delayMs).unref()
      this.#sendFull()
    }
  }

  /** Sends the rest, and closes the exporter. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#send()
    await Promise.all(this.#underWay)
    await this.#exporter.shutdown()
  }

  #sendFull(): void {
    if (this.#batch.size === this.#batchSize && this.#underWay.size < this.#maxUnderWay) {
      this.#send()
    }
  }

  #sendLate(): void {
    if (this.#underWay.size === 0) {
      this.#send()
    } else {
      this.#timer?.refresh()
    }
  }

  #send(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const batch = this.#batch
    if (batch.size > 0) {
      this.#batch = new SpanBatch(this.#batchSize)
      const sent = exported(this.#exporter, batch)
      this.#underWay.add(sent)
      void sent.then(() => {
        this.#underWay.delete(sent)
        this.#sendFull()
      })
    }
  }
}

/** Resolves when an export has ended, with success or not. Its own requests have no spans. */
const exported = (exporter: BatchExporter, batch: SpanBatch) =>
  new Promise<void>((resolve) => {
    context.with(core.suppressTracing(ROOT_CONTEXT), () => exporter.export(batch, () => resolve()))
  })
