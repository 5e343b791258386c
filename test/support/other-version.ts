import { execFile } from 'node:child_process'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../tools/processes.mjs'
import { temporaryFolder, type AtEnd } from './server-process.ts'

/** Program of a server with another version: the source of a commit, with the packages of this checkout. */
export async function serverProgramOf(commit: string, version: string, atEnd: AtEnd): Promise<string> {
  const folder = await temporaryFolder(atEnd)
  await promisify(execFile)('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', commit, folder], { cwd: root })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  const file = join(folder, 'package.json')
  await writeFile(file, JSON.stringify({ ...(JSON.parse(await readFile(file, 'utf8')) as object), version }))
  return join(folder, 'server', 'main.ts')
}

/** Declarations of tables that get a column: rows that every server mirrors, writes and reports. */
const changedTables = {
  devices: 'server/fleet/tables.ts',
  tags: 'server/devices/tables.ts',
  sessions: 'server/credentials/tables.ts',
}

/** Program of a newer version: the last commit with one more step of the schema, which adds columns, a table and an index. */
export async function newerServerProgram(version: string, atEnd: AtEnd): Promise<string> {
  const program = await serverProgramOf('HEAD', version, atEnd)
  const folder = join(dirname(program), '..')
  const change = async (file: string, from: RegExp, to: string) => {
    const path = join(folder, file)
    const source = await readFile(path, 'utf8')
    const changed = source.replace(from, to)
    if (changed === source) {
      throw new Error(`${file} does not contain ${from}.`)
    }
    await writeFile(path, changed)
  }
  for (const [table, file] of Object.entries(changedTables)) {
    await change(file, new RegExp(String.raw`(defineTable\('${table}', \{)`), '$1\n  later: t.integer(7),')
  }
  const columns = Object.keys(changedTables).map(
    (table) => `'ALTER TABLE ${table} ADD COLUMN later INTEGER NOT NULL DEFAULT 7'`,
  )
  const others = [
    "'CREATE TABLE later (id TEXT PRIMARY KEY NOT NULL)'",
    "'CREATE INDEX later_devices ON devices (later)'",
  ]
  const step = `  { name: '9999-later', up: [${[...columns, ...others].join()}] },\n]`
  await change('server/engines/database/migrations/index.ts', /\n\]\s*$/, `\n${step}\n`)
  return program
}
