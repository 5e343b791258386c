import { createPrivateKey, type JsonWebKey } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSealer } from '../../server/engines/secrets/sealer.ts'
import { openSecretStore } from '../../server/engines/secrets/open.ts'
import { createTestLog } from '../support/log.ts'
import { isNight } from '../support/night.ts'
import { useTestServer } from '../support/server.ts'
import { startServerProcess, temporaryFolder } from '../support/server-process.ts'

interface Row {
  authorityKey: string
  leafKey: string
}

test('the keys of TLS can be decrypted only with the key file of the data folder', async () => {
  const server = await useTestServer({ listenOn: 'https://127.0.0.1:0' })
  const [row] = await server.rows<Row>('SELECT authorityKey, leafKey FROM tls_identity')
  const log = createTestLog()
  const sealer = await openSealer(await openSecretStore({ directory: server.directory, log }), { mayCreate: false })
  const keys = [sealer.unseal(row!.authorityKey, 'tls/authority-key'), sealer.unseal(row!.leafKey, 'tls/leaf-key')]
  // Secret parts of a key, in each encoding that a file could contain.
  const secrets = keys.map((der) => {
    const { d = '' } = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({
      format: 'jwk',
    }) as JsonWebKey
    return Buffer.from(d, 'base64url')
  })
  expect(secrets.map(({ length }) => length)).toEqual([32, 32])
  const entries = await readdir(server.directory, { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((file) => file.isFile())) {
    const bytes = await readFile(join(entry.parentPath, entry.name))
    for (const secret of secrets) {
      expect(bytes.includes(secret)).toBe(false)
      expect(bytes.includes(secret.toString('hex'))).toBe(false)
    }
    expect(bytes.includes('PRIVATE KEY')).toBe(false)
  }
  // Swapped keys are rejected.
  expect(() => sealer.unseal(row!.leafKey, 'tls/authority-key')).toThrow('belongs to another place')
})

test('the keys appear in no line of the log or the console', { timeout: 60_000 }, async () => {
  const server = await startServerProcess(await temporaryFolder(), {
    Urls: 'https://127.0.0.1:0',
    Logging__LogLevel__Default: 'Trace',
  })
  await server.stop()
  expect(server.lines.join('\n')).not.toMatch(/PRIVATE KEY|authorityKey|leafKey/)
})

test.runIf(isNight)('an identity whose master key is lost stops the start and is not replaced', async () => {
  const folder = await temporaryFolder()
  const settings = { Urls: 'https://127.0.0.1:0' }
  const server = await startServerProcess(folder, settings)
  await server.stop()
  await rm(join(folder, 'secrets.json'))
  await rm(join(folder, 'secret-store.json'))
  await expect(startServerProcess(folder, settings)).rejects.toThrow('The master key of this data folder is missing')
})
