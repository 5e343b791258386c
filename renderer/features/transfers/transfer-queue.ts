import { createEvent } from '../../api/create-event.ts'
import {
  BrokenOff,
  FinalFailure,
  isRetriable,
  shareBytes,
  stateOf,
  sum,
  viewOf,
  waitingWith,
  type Part,
  type Transfer,
  type TransferRequest,
  type TransferView,
} from './transfer.ts'

export interface QueueDependencies {
  now: () => number
  after: (ms: number, work: () => void) => void
}

const mostAtOnce = 3
/** Limit per transfer, which leaves a slot for a small transfer beside a large one. */
const mostOfOne = 2
const retryMs = [1_000, 2_000, 5_000, 10_000, 30_000]
const speedMs = 4_000
const showMs = 200

/** Runs the transfers of this window, a few files at a time; interrupted ones are retried. */
export class TransferQueue {
  readonly #dependencies: QueueDependencies
  readonly #changes = createEvent<void>()
  #transfers: Transfer[] = []
  #views: readonly TransferView[] = []
  #lastId = 0
  #isShowing = false

  constructor(dependencies: QueueDependencies) {
    this.#dependencies = dependencies
  }

  readonly onChange = this.#changes.on
  /** Returns the same array until something changes. */
  readonly list = () => this.#views

  /** Whether leaving the page would interrupt a transfer. */
  isBusy = () => this.#transfers.some((transfer) => ['waiting', 'running', 'broken'].includes(stateOf(transfer)))

  add(request: TransferRequest): number {
    const id = ++this.#lastId
    this.#transfers.push({
      id,
      request,
      parts: request.parts.map((source) => ({
        source,
        state: 'waiting',
        isFinal: false,
        checked: undefined,
        doneBytes: 0,
        totalBytes: source.size,
      })),
      abort: new AbortController(),
      isCanceled: false,
      pausedUntil: 0,
      breaks: 0,
      requests: 0,
      reason: undefined,
      samples: [],
    })
    this.#next()
    return id
  }

  cancel(id: number) {
    const transfer = this.#find(id)
    if (transfer && !['done', 'canceled'].includes(stateOf(transfer))) {
      transfer.isCanceled = true
      transfer.abort.abort()
      transfer.request.onCanceled?.()
      this.#next()
    }
  }

  /** Cancels and removes all transfers. */
  endAll() {
    this.#transfers.forEach(({ id }) => this.cancel(id))
    this.#keep([])
  }

  /** Retries a failed or interrupted transfer now. */
  retry(id: number) {
    const transfer = this.#find(id)
    if (transfer && !transfer.isCanceled) {
      transfer.pausedUntil = 0
      transfer.reason = undefined
      transfer.parts.filter(isRetriable).forEach((part) => (part.state = 'waiting'))
      this.#next()
    }
  }

  /** Retries interrupted transfers now, of one device or of all. */
  resume(deviceId?: string) {
    for (const transfer of this.#transfers) {
      if (stateOf(transfer) === 'broken' && (deviceId ?? transfer.request.deviceId) === transfer.request.deviceId) {
        this.retry(transfer.id)
      }
    }
  }

  /** Removes finished transfers, of one device or of all. */
  clearFinished(deviceId?: string) {
    const isOver = (transfer: Transfer) => ['done', 'canceled', 'failed'].includes(stateOf(transfer))
    const isOf = ({ request }: Transfer) => (deviceId ?? request.deviceId) === request.deviceId
    this.#keep(this.#transfers.filter((transfer) => !(isOver(transfer) && isOf(transfer))))
  }

  #keep(kept: Transfer[]) {
    const removed = this.#transfers.filter((transfer) => !kept.includes(transfer))
    this.#transfers = kept
    removed.forEach(({ request }) => request.onForgotten?.())
    this.#show()
  }

  #find(id: number) {
    return this.#transfers.find((transfer) => transfer.id === id)
  }

  /**
   * Starts files while slots are free. The transfer with the fewest running files comes first, so that none waits for
   * all files of another.
   */
  #next() {
    for (;;) {
      const ready = this.#transfers
        .filter(
          (transfer) =>
            !transfer.isCanceled &&
            transfer.pausedUntil === 0 &&
            transfer.requests < mostOfOne &&
            transfer.parts.some(({ state }) => state === 'waiting'),
        )
        .toSorted((one, other) => one.requests - other.requests)[0]
      const part = ready?.parts.find(({ state }) => state === 'waiting')
      if (!ready || !part || sum(this.#transfers.map(({ requests }) => requests)) >= mostAtOnce) {
        break
      }
      void this.#run(ready, waitingWith(ready, part))
    }
    this.#show()
  }

  /** Runs parts with one request. */
  async #run(transfer: Transfer, parts: readonly Part[]) {
    const [part] = parts
    parts.forEach((each) => (each.state = 'running'))
    transfer.requests++
    const report = (doneBytes: number, totalBytes?: number) => {
      shareBytes(parts, doneBytes, totalBytes)
      if (doneBytes > 0) {
        transfer.breaks = 0
      }
      this.#sample(transfer)
      this.#showSoon()
    }
    const check = (checked: number | undefined) => {
      parts.forEach((each) => (each.checked = checked))
      this.#showSoon()
    }
    const progress = { signal: transfer.abort.signal, report, check }
    try {
      const errors =
        parts.length > 1 && part?.source.group
          ? await part.source.group.run(
              parts.map(({ source }) => source),
              progress,
            )
          : [await part?.source.run(progress)]
      parts.forEach((each, index) => this.#settle(transfer, each, errors[index] ?? undefined))
    } catch (error) {
      parts.forEach((each) => this.#settle(transfer, each, error))
    }
    transfer.requests--
    this.#next()
  }

  #settle(transfer: Transfer, part: Part, error: unknown) {
    if (error === undefined) {
      part.state = 'done'
      part.doneBytes = part.totalBytes ?? part.doneBytes
      return
    }
    part.state = error instanceof BrokenOff ? 'waiting' : 'failed'
    part.isFinal = error instanceof FinalFailure
    if (!transfer.isCanceled) {
      transfer.reason = (error as Error).message
      if (error instanceof BrokenOff) {
        this.#pause(transfer)
      }
    }
  }

  #pause(transfer: Transfer) {
    if (transfer.pausedUntil === 0) {
      const ms = retryMs[Math.min(transfer.breaks, retryMs.length - 1)] ?? 0
      const until = this.#dependencies.now() + ms
      transfer.breaks++
      transfer.samples = []
      transfer.pausedUntil = until
      this.#dependencies.after(ms, () => {
        if (transfer.pausedUntil === until) {
          this.retry(transfer.id)
        }
      })
    }
  }

  #sample(transfer: Transfer) {
    const at = this.#dependencies.now()
    const bytes = sum(transfer.parts.map(({ doneBytes }) => doneBytes))
    const last = transfer.samples.at(-1)
    // A restarted part invalidates the earlier samples.
    if (last && bytes < last.bytes) {
      transfer.samples = []
    }
    if (!last || bytes < last.bytes || at - last.at >= showMs) {
      transfer.samples = [...transfer.samples.filter((sample) => at - sample.at <= speedMs), { at, bytes }]
    }
  }

  #showSoon() {
    if (!this.#isShowing) {
      this.#isShowing = true
      this.#dependencies.after(showMs, () => {
        this.#isShowing = false
        this.#show()
      })
    }
  }

  #show() {
    this.#views = this.#transfers.map((transfer) => viewOf(transfer))
    this.#changes.emit()
  }
}
