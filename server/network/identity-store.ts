import type { App } from '../call/call.ts'
import type { StoredIdentity } from '../engines/tls/server-tls.ts'

const contexts = { authorityKey: 'tls/authority-key', leafKey: 'tls/leaf-key' }

/** Stores the identity in the database, so that backups contain it, with sealed keys. */
export const identityStore = ({ database, models, sealer }: Pick<App, 'database' | 'models' | 'sealer'>) => ({
  async load(): Promise<StoredIdentity | undefined> {
    const row = await models.TlsIdentity.findByPk('server')
    if (!row) {
      return undefined
    }
    await database.noteIdentity()
    return {
      authorityKey: sealer.unseal(row.authorityKey, contexts.authorityKey),
      authorityCertificate: row.authorityCertificate,
      leafKey: sealer.unseal(row.leafKey, contexts.leafKey),
      leafCertificate: row.leafCertificate,
    }
  },
  async save({ authorityKey, leafKey, ...certificates }: StoredIdentity): Promise<void> {
    const row = {
      id: 'server' as const,
      authorityKey: sealer.seal(authorityKey, contexts.authorityKey),
      leafKey: sealer.seal(leafKey, contexts.leafKey),
      ...certificates,
    }
    // The server's own, whoever asks for the first request or the new names that need it.
    await database.uncheckedWrites(() =>
      database.write((transaction) => models.TlsIdentity.upsert(row, { transaction })),
    )
    await database.noteIdentity()
  },
})
