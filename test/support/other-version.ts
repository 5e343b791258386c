import { execFile } from 'node:child_process'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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
