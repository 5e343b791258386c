import { randomBytes } from 'node:crypto'
import { wrapKey } from '../../server/backup/cipher.ts'
import { measure, writeCopy, type Entry } from '../../server/backup/copy-file.ts'
import type { Header } from '../../server/backup/header.ts'
import { fingerprintOf, readRecoveryKey } from '../../server/backup/recovery-key.ts'
import { takeSnapshot } from '../../server/backup/snapshot.ts'
import { copyDatabaseFile } from '../../server/engines/database/copies.ts'
import { pathsIn } from '../../server/engines/database/folder.ts'
import { createLog } from '../../server/ground/log.ts'
import { readSecrets } from '../../server/engines/secrets/open.ts'

/** Writes a copy of a data folder as the server does, with changes of its header, and with files that a server never adds. */
export async function writeBackupOf(
  directory: string,
  path: string,
  recoveryKey: string,
  changes: Partial<Header> = {},
  added: readonly Entry[] = [],
) {
  const { publicKey } = readRecoveryKey(recoveryKey)
  const secrets = await readSecrets(directory, createLog({ default: 'None' }))
  const database = { copyTo: (file: string) => copyDatabaseFile(pathsIn(directory).database, file) }
  const snapshot = await takeSnapshot(directory, database, { secrets, settings: { 'appoptions:enablecors': 'true' } })
  const entries = [...snapshot.entries, ...added]
  const fileKey = randomBytes(32)
  const { sender, wrapped } = wrapKey(fileKey, publicKey)
  const header: Header = {
    createdAt: new Date().toISOString(),
    appVersion: '1.0.0.0',
    computer: 'test',
    serverId: 'test',
    recoveryKey: fingerprintOf(publicKey),
    schema: snapshot.schema,
    contentBytes: (await measure(entries)).contentBytes,
    sender,
    keyForRecovery: wrapped,
    keyForServer: '',
    ...changes,
  }
  try {
    await writeCopy(path, header, entries, fileKey)
  } finally {
    await snapshot.remove()
  }
}
