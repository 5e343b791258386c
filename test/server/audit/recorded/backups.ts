import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Acts, Scene } from './scene.ts'

let recoveryKey = ''

const change = async ({ owner }: Scene) => {
  const folder = await mkdtemp(join(tmpdir(), 'farhand-test-'))
  const body = { folder, hour: 3, keepDaily: 5, keepWeekly: 0, keepMonthly: 1 }
  await owner.applianceBackup.changeSettings({ body })
  return { details: { folder, hour: 3, daily: 5, weekly: 0, monthly: 1 } }
}

/** Acts about backups, each after what it needs. */
export const actsOfBackups: Acts = [
  ['backup.settings-changed', 'on the page', change],
  [
    'backup.recovery-key-made',
    'on the page',
    async ({ owner }) => {
      const made = await owner.applianceBackup.makeRecoveryKey({})
      recoveryKey = made.recoveryKey
      return { details: { fingerprint: made.fingerprint } }
    },
  ],
  [
    'backup.recovery-key-proved',
    'on the page',
    async ({ owner }) => {
      const proved = await owner.applianceBackup.proveRecoveryKey({ body: { recoveryKey } })
      return { details: { fingerprint: proved.recoveryKey?.fingerprint } }
    },
  ],
  [
    'backup.made',
    'on the page',
    async ({ owner }) => {
      const { newest } = await owner.applianceBackup.make({})
      return { targetKind: 'file', targetName: newest?.path.split('/').at(-1) ?? '', details: { bytes: newest?.bytes } }
    },
  ],
  [
    'backup.checked',
    'on the page',
    async ({ owner }) => {
      await owner.applianceBackup.rehearse({})
      return {}
    },
  ],
]
