import { createEvent } from '../../api/event.ts'

/** Temporary failure, which is retried. */
export class BrokenOff extends Error {
  override name = 'BrokenOff'
}

/** Failure for which a retry is useless. */
export class FinalFailure extends Error {
  override name = 'FinalFailure'
}

export interface PartProgress {
  signal: AbortSignal
  /** Reports the bytes done; the total if it was unknown before. The number may decrease. */
  report: (doneBytes: number, totalBytes?: number) => void
  /** Reports the verified share of the file, 0 to 1, while nothing is sent; undefined when nothing is being verified. */
  check: (checked: number | undefined) => void
}

/** File of a transfer. */
export interface TransferPart {
  name: string
  /** Size in bytes; undefined while unknown. */
  size: number | undefined
  /** Transfers the bytes, or the missing ones. Throws `BrokenOff`, or an error whose message is shown. */
  run: (progress: PartProgress) => Promise<void>
}

export interface TransferRequest {
  kind: 'upload' | 'download'
  deviceId: string
  deviceName: string
  /** Name at the source; untrusted if the source is the device. */
  name: string
  /** Folder on the device. */
  folder: string
  /** Whether the browser downloads it, with progress in its own list. */
  isByBrowser?: boolean
  parts: TransferPart[]
  /** Called to remove partial data. */
  onCanceled?: () => void
  /** Called when the transfer leaves the list. */
  onForgotten?: () => void
}

export type TransferState = 'waiting' | 'running' | 'broken' | 'failed' | 'done' | 'canceled'

/** Transfer as shown. */
export interface TransferView extends Omit<TransferRequest, 'parts' | 'onCanceled' | 'onForgotten'> {
  id: number
  state: TransferState
  doneBytes: number
  /** Undefined while a size is unknown. */
  totalBytes: number | undefined
  files: { total: number; done: number; failed: number }
  /** Reason of a broken or failed transfer. */
  reason: string | undefined
  /** Whether a retry may help. */
  canRetry: boolean
  /** Verified share of an earlier part, 0 to 1. */
  checked: number | undefined
  /** Undefined unless running, and until it can be measured. */
  bytesPerSecond: number | undefined
}

interface Part {
  source: TransferPart
  state: 'waiting' | 'running' | 'failed' | 'done'
  isFinal: boolean
  checked: number | undefined
  doneBytes: number
  totalBytes: number | undefined
}

interface Transfer {
  id: number
  request: TransferRequest
  parts: Part[]
  abort: AbortController
  isCanceled: boolean
  /** End of the pause, in ms; 0 without a pause. */
  pausedUntil: number
  breaks: number
  reason: string | undefined
  samples: { at: number; bytes: number }[]
}

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

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

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
      const running = (transfer: Transfer) => transfer.parts.filter(({ state }) => state === 'running').length
      const ready = this.#transfers
        .filter(
          (transfer) =>
            !transfer.isCanceled &&
            transfer.pausedUntil === 0 &&
            running(transfer) < mostOfOne &&
            transfer.parts.some(({ state }) => state === 'waiting'),
        )
        .toSorted((one, other) => running(one) - running(other))[0]
      const part = ready?.parts.find(({ state }) => state === 'waiting')
      if (!ready || !part || sum(this.#transfers.map(running)) >= mostAtOnce) {
        break
      }
      void this.#run(ready, part)
    }
    this.#show()
  }

  async #run(transfer: Transfer, part: Part) {
    part.state = 'running'
    const report = (doneBytes: number, totalBytes = part.totalBytes) => {
      part.doneBytes = doneBytes
      part.totalBytes = totalBytes
      if (doneBytes > 0) {
        transfer.breaks = 0
      }
      this.#sample(transfer)
      this.#showSoon()
    }
    const check = (checked: number | undefined) => {
      part.checked = checked
      this.#showSoon()
    }
    try {
      await part.source.run({ signal: transfer.abort.signal, report, check })
      part.state = 'done'
      part.doneBytes = part.totalBytes ?? part.doneBytes
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      part.state = error instanceof BrokenOff ? 'waiting' : 'failed'
      part.isFinal = error instanceof FinalFailure
      if (!transfer.isCanceled) {
        transfer.reason = reason
        if (error instanceof BrokenOff) {
          this.#pause(transfer)
        }
      }
    }
    this.#next()
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

const isRetriable = ({ state, isFinal }: Part) => state === 'failed' && !isFinal

function stateOf({ parts, isCanceled, pausedUntil }: Transfer): TransferState {
  const has = (state: Part['state']) => parts.some((part) => part.state === state)
  if (isCanceled) {
    return 'canceled'
  }
  if (has('running')) {
    return 'running'
  }
  if (has('waiting')) {
    return pausedUntil > 0 ? 'broken' : 'waiting'
  }
  return has('failed') ? 'failed' : 'done'
}

function speedOf({ samples }: Transfer): number | undefined {
  const [first] = samples
  const last = samples.at(-1)
  return first && last && last.at - first.at >= 1_000
    ? (1_000 * (last.bytes - first.bytes)) / (last.at - first.at)
    : undefined
}

function viewOf(transfer: Transfer): TransferView {
  const { id, parts, reason, request } = transfer
  const { kind, deviceId, deviceName, name, folder, isByBrowser = false } = request
  const state = stateOf(transfer)
  const count = (wanted: Part['state']) => parts.filter((part) => part.state === wanted).length
  const sizes = parts.map(({ totalBytes }) => totalBytes)
  return {
    id,
    kind,
    deviceId,
    deviceName,
    name,
    folder,
    isByBrowser,
    state,
    doneBytes: sum(parts.map(({ doneBytes }) => doneBytes)),
    totalBytes: sizes.every((size) => size !== undefined) ? sum(sizes) : undefined,
    files: { total: parts.length, done: count('done'), failed: count('failed') },
    reason: state === 'broken' || state === 'failed' ? reason : undefined,
    canRetry: state === 'broken' || (state === 'failed' && parts.some(isRetriable)),
    checked: state === 'running' ? parts.find(({ checked }) => checked !== undefined)?.checked : undefined,
    bytesPerSecond: state === 'running' ? speedOf(transfer) : undefined,
  }
}
