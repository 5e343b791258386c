/**
 * Writes or restores a backup in a process of its own, which kills itself before the step that FARHAND_KILL_AT names. A step
 * is a call of the file system. Prints the number of steps.
 */
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const { FARHAND_KILL_AT: killAt, FARHAND_JOB: job = '{}' } = process.env
let steps = 0

const step = () => {
  steps++
  if (steps === Number(killAt)) {
    process.kill(process.pid, 'SIGKILL')
  }
}

const names = ['mkdir', 'open', 'readFile', 'rename', 'rm', 'stat', 'writeFile'] as const
for (const name of names) {
  const original = fs[name] as (...args: unknown[]) => unknown
  Object.assign(fs, {
    [name]: (...args: unknown[]) => {
      step()
      return original(...args)
    },
  })
}
syncBuiltinESMExports()
const handle = await fs.open(import.meta.filename, 'r')
const prototype = Object.getPrototypeOf(handle) as Record<string, (...args: unknown[]) => unknown>
await handle.close()
for (const name of ['sync', 'writeFile']) {
  const original = prototype[name]!
  prototype[name] = function (...args) {
    step()
    return original.apply(this, args)
  }
}

interface Job {
  command: 'backup' | 'restore'
  directory: string
  path: string
  recoveryKey: string
}
const { command, directory, path, recoveryKey } = JSON.parse(job) as Job

if (command === 'restore') {
  const { restore } = await import('../../server/backup/restore.ts')
  const { createLog } = await import('../../server/log.ts')
  const { migrations } = await import('../../server/migrations/index.ts')
  await restore({
    path,
    recoveryKey,
    directory,
    migrations: migrations.map(({ name }) => name),
    appVersion: '1.0.0.0',
    secretStore: 'file',
    log: createLog({ default: 'None' }),
    now: Date.now(),
  })
} else {
  const { writeBackupOf } = await import('./written-backup.ts')
  await writeBackupOf(directory, path, recoveryKey)
}
console.log(steps)
