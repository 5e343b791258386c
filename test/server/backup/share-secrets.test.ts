import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { joinSecrets, shareSecrets } from '../../../server/backup/share-secrets.ts'
import { openSecretStore } from '../../../server/engines/secrets/open.ts'
import { openSealer } from '../../../server/engines/secrets/sealer.ts'
import { createLog } from '../../../server/ground/log.ts'
import { temporaryFolder } from '../../support/server-process.ts'

const log = createLog({ default: 'None' })
const dayMs = 24 * 60 * 60_000
const sealerOf = async (directory: string, mayCreate: boolean) =>
  openSealer(await openSecretStore({ directory, preference: 'file', log }), { mayCreate })

async function shared() {
  const [folder, other] = [await temporaryFolder(), await temporaryFolder()]
  const first = join(folder, 'data')
  const sealer = await sealerOf(first, true)
  const file = join(folder, 'secrets')
  const key = await shareSecrets(first, file, { log, now: 0 })
  const joinAs = (typed: string, now = 0, directory = join(other, 'data')) =>
    joinSecrets(directory, file, { typed, secretStore: 'file', log, now })
  return { first, second: join(other, 'data'), file, key, joinAs, sealer }
}

describe('secrets for another server', () => {
  test('are those of the first afterwards, and the file shows none of them', async () => {
    const { first, second, file, key, joinAs, sealer } = await shared()
    await joinAs(key.toLowerCase().replaceAll('-', ' '))
    const sealed = sealer.seal('what the first wrote', 'test')
    expect((await sealerOf(second, false)).unseal(sealed, 'test').toString()).toBe('what the first wrote')
    const { secrets } = JSON.parse(await readFile(join(first, 'secrets.json'), 'utf8')) as { secrets: object }
    const text = await readFile(file, 'utf8')
    Object.values(secrets).forEach((secret) => expect(text).not.toContain(secret))
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  test('reach a folder with which a server was started before it had them', async () => {
    const { second, key, joinAs } = await shared()
    await mkdir(second, { mode: 0o700 })
    await writeFile(join(second, 'farhand.postgres'), 'Farhand keeps the data of this folder elsewhere.\n')
    await joinAs(key)
    expect(await readdir(second)).toContain('secrets.json')
  })

  test('are refused with another key, after a day, from a changed file, and over other secrets', async () => {
    const { first, file, key, joinAs } = await shared()
    const { key: foreign } = await shared()
    await expect(joinAs(foreign)).rejects.toThrow('This key does not open')
    await expect(joinAs(key.replace(/.$/, key.endsWith('0') ? '1' : '0'))).rejects.toThrow('is mistyped')
    await expect(joinAs(key, dayMs + 1)).rejects.toThrow('has expired')
    await expect(joinAs(key, 0, first)).rejects.toThrow('holds data or secrets already')
    await expect(shareSecrets(first, file, { log, now: 0 })).rejects.toThrow('exists already')
  })
})
