import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

/** Role that owns all databases of such a PostgreSQL. */
export const postgresUser = 'farhand'

/** Folder of the programs of the newest PostgreSQL from 15 on that Debian has installed; undefined without one. */
export function postgresPrograms(): string | undefined {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root)
    ? readdirSync(root)
        .map(Number)
        .filter((version) => version >= 15)
    : []
  return versions.length === 0 ? undefined : join(root, String(Math.max(...versions)), 'bin')
}

/** Account that owns the data: PostgreSQL does not run as root. */
function accountOf(folder: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) {
    return undefined
  }
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })))
  chownSync(folder, uid!, gid!)
  return { uid: uid!, gid: gid! }
}

/** Starts a PostgreSQL with its own folder and port, with its defaults and these lines of its configuration. */
export async function startPostgres(programs: string, settings: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'farhand-postgres-'))
  const account = accountOf(folder)
  const data = join(folder, 'data')
  const port = await freePort()
  const postgresProgram = (program: string, args: readonly string[]) =>
    execFileSync(join(programs, program), args, { stdio: 'ignore', cwd: '/', ...account })
  const start = () =>
    postgresProgram('pg_ctl', [
      'start',
      '--wait',
      '-D',
      data,
      '-l',
      join(folder, 'log'),
      '-o',
      `-p ${port} -k ${folder}`,
    ])
  postgresProgram('initdb', ['-D', data, '-U', postgresUser, '--auth', 'trust', '--locale', 'C.UTF-8', '--no-sync'])
  const lines = ["listen_addresses = '127.0.0.1'", ...settings]
  execFileSync('sh', ['-c', `printf '%s\\n' "$@" >> ${data}/postgresql.conf`, 'sh', ...lines])
  start()
  return {
    port,
    folder,
    start,
    /** Id of the process that starts all others. */
    pid: () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]),
    /** Writes a file into the folder of the data, for the account that reads it. */
    keep(name: string, content: string) {
      const path = join(data, name)
      writeFileSync(path, content, { mode: 0o600 })
      if (account) {
        chownSync(path, account.uid, account.gid)
      }
    },
    stop: (mode: 'fast' | 'immediate' = 'immediate') =>
      postgresProgram('pg_ctl', ['stop', '--wait', '-m', mode, '-D', data]),
    remove() {
      postgresProgram('pg_ctl', ['stop', '--wait', '-m', 'immediate', '-D', data])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
