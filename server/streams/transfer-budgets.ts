import { ByteBudget, type HeldBytes } from '../byte-budget.ts'

const mebibyte = 1024 * 1024

/** Memory that one transfer, listing or preview may need: what its reader has not read, and what is decoded just now. */
export const transferBytes = 2 * mebibyte

/** On whose behalf bytes are held. A principal's share is half of a device's, so nobody alone keeps others from a device. */
export type TransferKind = 'principal' | 'device'
export type TransferBudget = ByteBudget<TransferKind>
export type TransferKeys = Record<TransferKind, string>
export type HeldTransfer = HeldBytes<TransferKind>

export const memoryBudget = (): TransferBudget =>
  new ByteBudget(512 * transferBytes, { principal: 32 * transferBytes, device: 64 * transferBytes })

/** Least share of a principal on disk, and the share where files have no limit. */
const leastShare = 256 * mebibyte
const shareWithoutLimit = 1024 * mebibyte

/** Disk for what slow readers have not read, and for forms whose fields follow the file: the largest file fits. */
export function diskBudget(largestFile: number | undefined): TransferBudget {
  const share = Math.max(leastShare, largestFile ?? shareWithoutLimit)
  return new ByteBudget(8 * share, { principal: share, device: 2 * share })
}
