import type { App } from '../call/call.ts'

/** Keys and certificates of this server; keys in PKCS #8, DER, certificates in PEM. */
interface Identity {
  authorityKey: Buffer
  authorityCertificate: string
  leafKey: Buffer
  leafCertificate: string
}

const contexts = { authorityKey: 'tls/authority-key', leafKey: 'tls/leaf-key' }

/** Stores the identity in the database, so that backups contain it, with sealed keys. */
export const identityStore = ({ database, models, sealer }: Pick<App, 'database' | 'models' | 'sealer'>) => ({
  async load(): Promise<Identity | undefined> {
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
  async save({ authorityKey, leafKey, ...certificates }: Identity): Promise<void> {
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
