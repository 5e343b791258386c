/**
 * Carries out a job on a data folder in a process of its own, which kills itself at the step that FARHAND_KILL_AT names: before the
 * step, or with .5 while the step runs. A step is a call of the file system or of the database. Prints the number of steps.
 */
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { sqlite3 } from '../../server/engines/database/driver.ts'

const { FARHAND_KILL_AT: text, FARHAND_JOB: job = '{}' } = process.env
const killAt = Number(text)
let steps = 0

type Call = (...args: unknown[]) => unknown

/** Counts the calls of methods as steps. */
function count(target: object, names: readonly string[]) {
  for (const name of names) {
    const original = Reflect.get(target, name) as Call
    const counted = function (this: unknown, ...args: unknown[]) {
      steps++
      if (steps === Math.floor(killAt)) {
        if (!Number.isInteger(killAt)) {
          void original.apply(this, args)
        }
        process.kill(process.pid, 'SIGKILL')
      }
      return original.apply(this, args)
    }
    Reflect.set(target, name, counted)
  }
}

count(fs, ['mkdir', 'open', 'readFile', 'rename', 'rm', 'stat', 'writeFile'])
syncBuiltinESMExports()
const handle = await fs.open(import.meta.filename, 'r')
count(Object.getPrototypeOf(handle) as object, ['sync', 'writeFile'])
await handle.close()
count(sqlite3.Database.prototype, ['all', 'exec'])
steps = 0

export interface Job {
  command: 'backup' | 'restore' | 'migration'
  directory: string
  path: string
  recoveryKey: string
}
const { command, directory, path, recoveryKey } = JSON.parse(job) as Job
const { createLog } = await import('../../server/ground/log.ts')
const { migrations } = await import('../../server/engines/database/migrations/index.ts')
const log = createLog({ default: 'None' })

if (command === 'restore') {
  const { restore } = await import('../../server/backup/stage-restore.ts')
  await restore({
    path,
    recoveryKey,
    directory,
    migrations: migrations.map(({ name }) => name),
    appVersion: '1.0.0.0',
    secretStore: 'file',
    log,
    now: Date.now(),
  })
} else if (command === 'migration') {
  const { openDatabase } = await import('../../server/engines/database/database.ts')
  const database = await openDatabase({ directory, migrations, appVersion: '1.0.0.0', log })
  await database.close()
} else {
  const { writeBackupOf } = await import('./written-backup.ts')
  await writeBackupOf(directory, path, recoveryKey)
}
console.log(steps)
