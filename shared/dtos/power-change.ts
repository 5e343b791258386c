import { z } from 'zod'
import { reservedPrefix } from './run-command.ts'

/**
 * Message inside `ReceiveDto` to this product's agent, for what `ReceivePowerStateChange` cannot say; the reply is the
 * outcome.
 */
export const powerChangeType = `${reservedPrefix}power-change`

/**
 * `firmware` restarts into the settings of the firmware (BIOS, UEFI); `log-off` signs everybody out; `safe-mode` restarts
 * Windows once into safe mode with network.
 */
export const powerVariants = ['lock', 'log-off', 'sleep', 'firmware', 'safe-mode'] as const
export const PowerVariant = z.enum(powerVariants)
export type PowerVariant = z.output<typeof PowerVariant>

export const PowerChangeOrder = z.object({ change: PowerVariant })
