import { UnsealError, type Sealer } from '../engines/secrets/sealer.ts'

/*
 * Commands of batches are in the log, but sealed: people type passwords into commands, and a stolen database must not show
 * them (T16).
 */

const context = 'audit/command'

/** Seals the whole command: nobody hides its end behind a long beginning, and the owner may delete the batch (T45). */
export const sealCommand = (sealer: Sealer, command: string): string => sealer.seal(command, context)

/** The command; a sentence for one of a server whose master key this server does not have. */
export function openCommand(sealer: Sealer, sealed: string): string {
  try {
    return sealer.unseal(sealed, context).toString()
  } catch (error) {
    if (error instanceof UnsealError) {
      return 'Sealed with a key that this server does not have.'
    }
    throw error
  }
}
