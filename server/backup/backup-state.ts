import { dayMs } from '../../shared/durations.ts'
import type { App } from '../call/call.ts'
import { fingerprintOf } from './recovery-key.ts'
import type { BackupStateRow } from './tables.ts'

const id = 'server'

/** Age from which administrators are notified. */
export const oldAfterMs = 2 * dayMs

export async function readState({ models }: Pick<App, 'models'>): Promise<BackupStateRow> {
  const row = await models.BackupState.findByPk(id, { rejectOnEmpty: true })
  return row.get({ plain: true })
}

/** Stores what happened to copies. Settings are changed with an event of the audit log instead. */
export async function noteState({ models, database }: App, change: Partial<BackupStateRow>): Promise<void> {
  await database.uncheckedWrites(() =>
    database.write((transaction) => models.BackupState.update(change, { where: { id }, transaction })),
  )
}

export const stateRow = { where: { id } } as const

/** Whether nightly copies are expected and none was made for two days. */
export const isOld = ({ folder, lastAt, keyMadeAt }: BackupStateRow, now: number): boolean =>
  folder !== null && now - (lastAt ?? keyMadeAt ?? now) > oldAfterMs

/** Why no copy can be made; undefined if one can. */
export const lacking = ({ publicKey }: BackupStateRow): string | undefined =>
  publicKey === null
    ? 'There is no recovery key yet. Make one on the Backup page, or with "recovery-key new".'
    : undefined

export const keyFingerprint = ({ publicKey }: BackupStateRow): string | null =>
  publicKey === null ? null : fingerprintOf(publicKey)
