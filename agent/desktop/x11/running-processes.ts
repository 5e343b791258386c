import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** A program of this machine, as Linux lists it. What may not be read is empty. */
export interface RunningProcess {
  id: number
  userId: number
  /** Without the folder. */
  program: string
  arguments: readonly string[]
}

const readText = (file: string) => readFile(file, 'latin1').catch(() => '')
const splitList = (text: string) => text.split('\0').filter((part) => part !== '')

export async function listProcesses(folder: string): Promise<RunningProcess[]> {
  const names = await readdir(folder).catch(() => [])
  const processes = names
    .filter((name) => /^\d+$/.test(name))
    .map(async (name) => {
      const [stats, command] = await Promise.all([
        stat(join(folder, name)).catch(() => null),
        readText(join(folder, name, 'cmdline')),
      ])
      const [program = '', ...rest] = splitList(command)
      return stats ? { id: Number(name), userId: stats.uid, program: basename(program), arguments: rest } : null
    })
  return (await Promise.all(processes)).filter((process) => process !== null)
}

/** The environment that a process was started with. */
export async function readEnvironment(folder: string, id: number): Promise<ReadonlyMap<string, string>> {
  const variables = splitList(await readText(join(folder, String(id), 'environ')))
  return new Map(
    variables.map((variable) => {
      const end = variable.indexOf('=')
      return [variable.slice(0, end), variable.slice(end + 1)]
    }),
  )
}

/** The paths of the sockets that a process listens on or talks through. */
export async function readSocketPaths(folder: string, id: number): Promise<readonly string[]> {
  const own = join(folder, String(id), 'fd')
  const [table, names] = await Promise.all([readText(join(folder, 'net', 'unix')), readdir(own).catch(() => [])])
  const targets = await Promise.all(names.map((name) => readlink(join(own, name)).catch(() => '')))
  const inodes = new Set(targets.map((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1]))
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => inodes.has(columns[6]))
    .map((columns) => columns[7] ?? '')
}
