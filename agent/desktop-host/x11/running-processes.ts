import { open, readdir, readFile, readlink, stat } from 'node:fs/promises'
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
/** Any user can start many programs, and make these as long as megabytes; what is looked for stands at the beginning. */
const maxCommandBytes = 16 * 1024
const maxEnvironmentBytes = 128 * 1024
const lookedAtTogether = 64

async function readStart(file: string, maxBytes: number): Promise<string> {
  const handle = await open(file).catch(() => null)
  try {
    const bytes = Buffer.allocUnsafe(maxBytes)
    let length = 0
    for (let count = 1; handle && count > 0 && length < maxBytes; length += count) {
      count = (await handle.read(bytes, length, maxBytes - length)).bytesRead
    }
    return bytes.toString('latin1', 0, length)
  } catch {
    return ''
  } finally {
    await handle?.close()
  }
}

const splitList = (text: string) => text.split('\0').filter((part) => part !== '')

async function lookAt(folder: string, name: string): Promise<RunningProcess | null> {
  const [stats, command] = await Promise.all([
    stat(join(folder, name)).catch(() => null),
    readStart(join(folder, name, 'cmdline'), maxCommandBytes),
  ])
  const [program = '', ...rest] = splitList(command)
  return stats ? { id: Number(name), userId: stats.uid, program: basename(program), arguments: rest } : null
}

export async function listProcesses(folder: string): Promise<RunningProcess[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^\d+$/.test(name))
  const processes: RunningProcess[] = []
  for (let at = 0; at < names.length; at += lookedAtTogether) {
    const some = await Promise.all(names.slice(at, at + lookedAtTogether).map((name) => lookAt(folder, name)))
    processes.push(...some.filter((process) => process !== null))
  }
  return processes
}

/** The environment that a process was started with. */
export async function readEnvironment(folder: string, id: number): Promise<ReadonlyMap<string, string>> {
  const variables = splitList(await readStart(join(folder, String(id), 'environ'), maxEnvironmentBytes))
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
