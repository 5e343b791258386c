import { z } from 'zod'
import { NamedReleaseKey } from '../../shared/agent-release.ts'
import type { App } from '../call/call.ts'

/** Key that signs agents (PKCS #8, DER), and the chain of public keys up to its own. */
interface ReleaseKey {
  key: Buffer
  named: NamedReleaseKey[]
}

const context = 'releases/key'

/** Stores the release key like the identity: in the database, so that backups contain it, and sealed. */
export const releaseKeyStore = ({ database, models, sealer }: Pick<App, 'database' | 'models' | 'sealer'>) => ({
  async load(): Promise<ReleaseKey | undefined> {
    const row = await models.ReleaseKey.findByPk('server')
    return row
      ? { key: sealer.unseal(row.key, context), named: z.array(NamedReleaseKey).parse(JSON.parse(row.named)) }
      : undefined
  },
  async save({ key, named }: ReleaseKey): Promise<void> {
    const row = { id: 'server' as const, key: sealer.seal(key, context), named: JSON.stringify(named) }
    await database.write((transaction) => models.ReleaseKey.upsert(row, { transaction }))
    // Agents pin the key, so it must survive a lost write-ahead log.
    await database.checkpoint()
  },
})
