import { globSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { copyEnding } from '../../server/backup/copies.ts'
import { scratchIn } from '../../server/backup/snapshot.ts'
import { runBackupCommand } from '../support/backup-command.ts'
import { missingForCluster, startCluster, type ClusterServer } from '../support/cluster.ts'
import { isNight } from '../support/night.ts'
import { runIn } from '../support/postgres.ts'
import { temporaryFolder } from '../support/server-process.ts'
import { registerOwner } from '../support/server.ts'
import { until } from '../support/until.ts'

/** Rows that are not mirrored, with which a backup takes seconds: 100 MB. */
const fill = `INSERT INTO recovery_codes (id, userId, codeHash)
  SELECT 'filling-' || n, (SELECT id FROM users LIMIT 1), repeat(md5(n::text), 16) FROM generate_series(1, 200000) n`
/** Size of a file that is being written, from which it counts as half. */
const halfBytes = 1_000_000

// Starts two servers and writes some 100 MB four times: in npm run test:scale, and at night.
test.skipIf(missingForCluster || !isNight)(
  'a server killed in the middle of a backup leaves nothing that counts as one, and both servers make the next',
  { timeout: 300_000 },
  async () => {
    const cluster = await startCluster(onTestFinished)
    const { first, second, database } = cluster
    const owner = await registerOwner(second.url)
    await owner.applianceBackup.makeRecoveryKey({})
    await runIn(database.options, fill, [])
    // Without a folder in the settings, no job makes copies beside these.
    const folder = await temporaryFolder()
    const backUp = (server: ClusterServer) => runBackupCommand(server.directory, ['backup', folder])
    const copies = async () => (await readdir(folder)).filter((name) => name.endsWith(copyEnding))

    const written = { database: join(scratchIn(first.directory), 'farhand.db'), copy: join(folder, '*.partial') }
    for (const pattern of Object.values(written)) {
      const command = backUp(first)
      await until(() => globSync(pattern).some((file) => statSync(file).size > halfBytes))
      await first.process.kill()
      expect(await command).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('before it answered') as string,
      })
      expect(await copies()).toEqual([])
      expect(await owner.applianceBackup.get({})).toMatchObject({ newest: null })
      await first.start()
      expect(globSync(`${scratchIn(first.directory)}*`)).toEqual([])
    }

    const { checks } = await owner.applianceHealth.report({})
    expect(checks.find(({ id }) => id === 'backup')).toMatchObject({ state: 'warning' })
    for (const server of cluster.servers) {
      expect(await backUp(server)).toMatchObject({ status: 0 })
    }
    expect(await copies()).toHaveLength(2)
    expect(await runBackupCommand(second.directory, ['backup', 'check'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('with 1 account') as string,
    })
  },
)
