import { hostname } from 'node:os'
import type { App } from '../call/call.ts'
import { ServerTls, type StoredIdentity } from '../engines/tls/server-tls.ts'
import type { Config } from '../settings/config.ts'

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

/** Names of this machine, for its certificate. */
function machineNamesOf({ branding: { publicUrl } }: Config): string[] {
  const machine = hostname()
  return [
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]),
    machine,
    `${machine}.local`,
    'localhost',
    '127.0.0.1',
    '::1',
  ]
}

/** The TLS identity of this server, opened on first use: most servers on loopback never need it. */
export function lazyTls(
  app: Pick<App, 'config' | 'clock' | 'log' | 'database' | 'models' | 'sealer'>,
  onStop: (stop: () => Promise<void>) => void,
) {
  const open = async () => {
    const { clock, log, config } = app
    const tls = await ServerTls.open({ clock, log, store: identityStore(app), names: machineNamesOf(config) })
    onStop(() => tls.close())
    const { certificatePath, keyPath, certificatePassword: password } = config.tls
    if (certificatePath !== undefined) {
      await tls.useCustom({ certificatePath, keyPath, password })
    }
    return tls
  }
  let opening: Promise<ServerTls> | undefined
  return () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }
}
