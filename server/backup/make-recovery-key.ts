import { fingerprintOf, newRecoveryKey, readRecoveryKey } from './recovery-key.ts'
import { BackupError } from './backup-error.ts'
import type { OpenCall } from '../call/call.ts'
import { readState, stateRow } from './backup-state.ts'

/**
 * Makes a recovery key, which is returned once; the server stores its public part. Copies from before still open with
 * the key before.
 */
export async function makeRecoveryKey({ app, actor }: OpenCall): Promise<{ recoveryKey: string; fingerprint: string }> {
  const recoveryKey = newRecoveryKey()
  const { publicKey } = readRecoveryKey(recoveryKey)
  const fingerprint = fingerprintOf(publicKey)
  await app.database.write(async (transaction) => {
    const change = { publicKey, keyMadeAt: app.clock.now(), keyProvedAt: null }
    await app.models.BackupState.update(change, { ...stateRow, transaction })
    const event = { kind: 'backup.recovery-key-made', tenantId: null, details: { fingerprint } } as const
    await app.audit.recordIn(transaction, actor, [event])
  })
  return { recoveryKey, fingerprint }
}

/** Checks that somebody has the recovery key. Throws a `BackupError` for another one. */
export async function proveRecoveryKey({ app, actor }: OpenCall, typed: string): Promise<void> {
  const { publicKey } = await readState(app)
  if (publicKey === null) {
    throw new BackupError('There is no recovery key yet. Make one first.')
  }
  const presented = readRecoveryKey(typed).publicKey
  const event = {
    kind: 'backup.recovery-key-proved',
    tenantId: null,
    details: { fingerprint: fingerprintOf(publicKey) },
  } as const
  if (presented !== publicKey) {
    await app.audit.record(actor, { ...event, outcome: 'failure' })
    throw new BackupError(
      `This is the recovery key ${fingerprintOf(presented)}, and this server uses ${fingerprintOf(publicKey)}. Find that one, or make a new key.`,
    )
  }
  await app.database.write(async (transaction) => {
    await app.models.BackupState.update({ keyProvedAt: app.clock.now() }, { ...stateRow, transaction })
    await app.audit.recordIn(transaction, actor, [event])
  })
}
