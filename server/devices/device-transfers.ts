import type { Call } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { overBudget, transferBytes, type HeldTransfer, type TransferKeys } from '../engines/flow/transfer-budgets.ts'
import { accountOf } from '../ground/principal.ts'

export const transferKeysOf = ({ principal }: Call, { id, tenantId }: DeviceState): TransferKeys => ({
  principal: accountOf(principal),
  device: id,
  tenant: tenantId,
})

const busy = {
  principal: 'You have too many transfers, listings and previews running. Try again when one has ended.',
  device: 'This device has too many transfers, listings and previews running. Try again when one has ended.',
  tenant: 'Your organization has too many transfers, listings and previews running. Try again when one has ended.',
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
