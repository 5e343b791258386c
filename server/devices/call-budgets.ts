import type { FullLimit } from '../engines/flow/byte-budget.ts'
import type { Call } from '../call/call.ts'
import { AppError } from '../ground/errors.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import {
  transferBytes,
  type HeldTransfer,
  type TransferKeys,
  type TransferKind,
} from '../engines/flow/transfer-budgets.ts'
import { ownerOf } from '../ground/principal.ts'

/** Seconds until a client may retry. */
const retryAfter = { headers: { 'retry-after': '5' } }

export const transferKeysOf = ({ principal }: Call, { id }: DeviceState): TransferKeys => ({
  principal: ownerOf(principal),
  device: id,
})

/** Error for an exhausted budget; `texts` name the exhausted limit. */
export const overBudget = (full: FullLimit<TransferKind>, texts: Record<FullLimit<TransferKind>, string>) =>
  new AppError(full === 'principal' ? 429 : 503, texts[full], retryAfter)

const busy = {
  principal: 'You have too many transfers, listings and previews running. Try again when one has ended.',
  device: 'This device has too many transfers, listings and previews running. Try again when one has ended.',
  all: 'The server has too many transfers, listings and previews running. Try again later.',
}

/** Reserves the memory of a transfer. Throws 429 or 503 when a budget is exhausted. */
export function openTransfer(call: Call, device: DeviceState): HeldTransfer {
  const held = call.app.transferMemory.open(transferKeysOf(call, device))
  const full = held.take(transferBytes)
  if (full) {
    throw overBudget(full, busy)
  }
  return held
}
