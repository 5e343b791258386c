import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import {
  openDatabase,
  type Database,
  type DatabaseOptions,
  type Migration,
} from '../../../../server/engines/database/database.ts'
import { createLog } from '../../../../server/ground/log.ts'

export const createNotes: Migration = {
  name: '0001-create-notes',
  up: ["CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT NOT NULL CHECK (text <> 'refused')) STRICT"],
}

export interface Note {
  id: string
  text: string
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'farhand-database-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A database with an empty `notes` table by default, closed with the test. */
export async function open(options: Partial<DatabaseOptions> = {}): Promise<Database> {
  const database = await openDatabase({
    directory: options.directory ?? (await temporaryFolder()),
    migrations: [createNotes],
    appVersion: '1.0.0',
    log: createLog({ default: 'None' }),
    ...options,
  })
  onTestFinished(() => database.close())
  return database
}

export const insertNote = (database: Database, { id, text = '' }: Partial<Note>) =>
  database.write((transaction) =>
    database.sequelize.query('INSERT INTO notes (id, text) VALUES (?, ?)', { replacements: [id, text], transaction }),
  )

export const noteIds = async (database: Database) =>
  (await database.all<Note>('SELECT id FROM notes ORDER BY rowid')).map(({ id }) => id)

/** A real process running `script` (a file of this folder); killed at the end of the test. */
export const startProcess = (script: string, ...args: string[]) =>
  startCommand(process.execPath, fileURLToPath(new URL(script, import.meta.url)), ...args)

/** A process that cannot write any file beyond a size in KiB, as on a full disk. */
export const startLimitedProcess = (kibibytes: number, script: string, ...args: string[]) => {
  const file = fileURLToPath(new URL(script, import.meta.url))
  return startCommand('bash', '-c', `ulimit -f ${kibibytes}; exec "$0" "$@"`, process.execPath, file, ...args)
}

function startCommand(command: string, ...args: string[]) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout })
  const firstLine = new Promise<string>((resolve, reject) => {
    reader.once('line', resolve)
    void ended.then(() => reject(new Error(`${[command, ...args].join(' ')} ended without a line`)))
  })
  firstLine.catch(() => {})
  reader.on('line', (line) => lines.push(line))
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(kill)
  return { pid: child.pid, firstLine, lines, kill, ended }
}
