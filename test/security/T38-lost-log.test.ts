/** Loss or damage of the write-ahead log: its content is gone, and the server does not start as a new one. */
import { cpSync, existsSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openConnection } from '../../server/engines/database/connection.ts'
import { openApp } from '../../server/open-app.ts'
import { loadConfig } from '../../server/settings/config.ts'
import { createTestLog } from '../support/log.ts'
import { isNight } from '../support/night.ts'
import { startServerProcess, temporaryFolder, type ServerProcess } from '../support/server-process.ts'
import { registerOwner, signInTo, useTestServer } from '../support/server.ts'

const logIn = (folder: string) => join(folder, 'farhand.db-wal')

/** Copies the folder of a killed server without the write-ahead log. */
async function killed(server: ServerProcess, folder: string): Promise<string> {
  await server.kill()
  const left = await temporaryFolder()
  cpSync(folder, left, { recursive: true })
  expect(existsSync(logIn(left))).toBe(true)
  rmSync(logIn(left))
  rmSync(join(left, 'farhand.db-shm'), { force: true })
  return left
}

const https = { Urls: 'https://127.0.0.1:0' }

test('T38: a killed server without its write-ahead log keeps its schema and its identity', async () => {
  const folder = await temporaryFolder()
  const left = await killed(await startServerProcess(folder, https), folder)
  const database = await openConnection(join(left, 'farhand.db'), 'reader')
  expect(await database.all('SELECT count(*) AS identities FROM tls_identity')).toEqual([{ identities: 1 }])
  await database.close()
})

const losses: [state: string, problem: string, sql?: string][] = [
  ['no tables', 'contains no data'],
  ['no identity', 'does not contain the identity of this server', 'DELETE FROM tls_identity'],
]

/** By day one loss: the start rejects both in the same way. */
test.each(losses.filter(([state]) => isNight || state === 'no identity'))(
  'T38: an installed database with %s stops the start, and the error names the copies',
  async (_, problem, sql) => {
    const server = await useTestServer({ listenOn: https.Urls })
    const folder = server.directory
    const config = loadConfig({ env: { Service_DataDirectory: folder } })
    await server.asleep(async () => {
      const file = join(folder, 'farhand.db')
      if (sql === undefined) {
        truncateSync(file)
      }
      const connection = await openConnection(file, 'writer')
      await connection.exec(sql ?? 'CREATE TABLE rest (id TEXT); DROP TABLE rest')
      await connection.close()
      await expect(openApp(config, { log: createTestLog(), secretStore: 'file' }, () => {})).rejects.toThrow(
        new RegExp(`${problem}\\. Put it back\\. .*${folder}/backups.*delete ${folder}/farhand.installed`),
      )
      rmSync(join(folder, 'farhand.installed'))
    })
  },
)

test.runIf(isNight)(
  'T38: a damaged write-ahead log loses at most what was written since the last checkpoint',
  async () => {
    const folder = await temporaryFolder()
    const first = await startServerProcess(folder)
    await registerOwner(first.url)
    await first.stop()
    const second = await startServerProcess(folder)
    await second.kill()
    writeFileSync(logIn(folder), Buffer.alloc(100_000, 0x5a))
    const third = await startServerProcess(folder)
    await signInTo(third.url)
  },
)
