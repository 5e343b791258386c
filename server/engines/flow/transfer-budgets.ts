import { AppError } from '../../ground/errors.ts'
import { ByteBudget, type FullLimit, type HeldBytes, type Shares } from './byte-budget.ts'

const mebibyte = 1024 * 1024

/** Memory limit of one transfer, listing or preview: unread items, and the item being decoded. */
export const transferBytes = 2 * mebibyte

/**
 * Budget keys of bytes. A principal's share is half of a device's, so that no principal can block a device alone; the
 * principal is an account with all its tokens.
 */
export type TransferKind = 'principal' | 'device' | 'tenant'
export type TransferBudget = ByteBudget<TransferKind>
export type TransferKeys = Record<TransferKind, string>
export type HeldTransfer = HeldBytes<TransferKind>

/** `tenants` returns the number of tenants of the server. */
export const memoryBudget = (tenants: () => number): TransferBudget =>
  new ByteBudget(
    512 * transferBytes,
    { principal: 32 * transferBytes, device: 64 * transferBytes, tenant: 'left' },
    tenants,
  )

/** Minimum disk share of a principal, and its share without a file size limit. */
const leastShare = 256 * mebibyte
const shareWithoutLimit = 1024 * mebibyte

/** Disk budget for unread items of slow readers, and for forms whose fields follow the file: the largest file fits. */
export const diskBudget = (largestFile: number | undefined, tenants: () => number): TransferBudget =>
  new ByteBudget(...diskLimits(largestFile), tenants)

/** Fits the limits of a disk budget to another largest file. */
export const resizeDiskBudget = (budget: TransferBudget, largestFile: number | undefined) =>
  budget.resize(...diskLimits(largestFile))

function diskLimits(largestFile: number | undefined): [all: number, shares: Shares<TransferKind>] {
  const share = Math.max(leastShare, largestFile ?? shareWithoutLimit)
  return [8 * share, { principal: share, device: 2 * share, tenant: 'left' }]
}

/** Seconds until a client may retry. */
const retryAfter = { headers: { 'retry-after': '5' } }

/** Error for an exhausted budget; `texts` name the exhausted limit. */
export const overBudget = (full: FullLimit<TransferKind>, texts: Record<FullLimit<TransferKind>, string>) =>
  new AppError(full === 'principal' ? 429 : 503, texts[full], retryAfter)
