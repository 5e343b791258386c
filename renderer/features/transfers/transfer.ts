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
  /** Group that transfers this part together with others of the same group that wait. */
  group?: PartGroup | undefined
}

/** Small files that one request carries. */
export interface PartGroup {
  mostParts: number
  mostBytes: number
  /**
   * Transfers the parts, and returns for each why it failed. Throws `BrokenOff` to repeat all of them, and other errors
   * where none was transferred.
   */
  run: (parts: readonly TransferPart[], progress: PartProgress) => Promise<readonly (Error | undefined)[]>
}

export interface TransferRequest {
  /** `copy` and `move` stay on the device. */
  kind: 'upload' | 'download' | 'copy' | 'move'
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

/** Part of a transfer in the queue. */
export interface Part {
  source: TransferPart
  state: 'waiting' | 'running' | 'failed' | 'done'
  isFinal: boolean
  checked: number | undefined
  doneBytes: number
  totalBytes: number | undefined
}

/** Transfer in the queue. */
export interface Transfer {
  id: number
  request: TransferRequest
  parts: Part[]
  abort: AbortController
  isCanceled: boolean
  /** End of the pause, in ms; 0 without a pause. */
  pausedUntil: number
  breaks: number
  /** Number of running requests. */
  requests: number
  reason: string | undefined
  samples: { at: number; bytes: number }[]
}

export const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

/** Parts that one request carries: the part itself, with others of its group that wait. */
export function waitingWith({ parts }: Transfer, part: Part): readonly Part[] {
  const { group } = part.source
  if (!group) {
    return [part]
  }
  const together: Part[] = []
  let bytes = 0
  for (const each of parts) {
    bytes += each.state === 'waiting' && each.source.group === group ? (each.totalBytes ?? 0) : 0
    if (bytes > group.mostBytes || together.length >= group.mostParts) {
      break
    }
    if (each.state === 'waiting' && each.source.group === group) {
      together.push(each)
    }
  }
  return together.length > 1 ? together : [part]
}

/** Spreads the bytes of a request over its parts, in their order. */
export function shareBytes(parts: readonly Part[], doneBytes: number, totalBytes: number | undefined) {
  let left = doneBytes
  for (const part of parts) {
    if (parts.length === 1) {
      part.doneBytes = doneBytes
      part.totalBytes = totalBytes ?? part.totalBytes
      return
    }
    part.doneBytes = Math.min(left, part.totalBytes ?? 0)
    left -= part.doneBytes
  }
}

export const isRetriable = ({ state, isFinal }: Part) => state === 'failed' && !isFinal

export function stateOf({ parts, isCanceled, pausedUntil }: Transfer): TransferState {
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

export function viewOf(transfer: Transfer): TransferView {
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
