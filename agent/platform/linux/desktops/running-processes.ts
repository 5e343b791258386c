import { opendir, readdir, readFile, readlink, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isolatedReader } from '../../../base/isolated-reader.ts'
import { chunksOf } from '../../../../shared/chunks.ts'

/** Process of this machine, as listed by Linux. Members that may not be read are empty. */
export interface RunningProcess {
  id: number
  userId: number
  /** File name without the folder. */
  program: string
  arguments: readonly string[]
  /** Environment variables that concern desktops. */
  environment: ReadonlyMap<string, string>
}

const readText = (file: string) => readFile(file, 'latin1').catch(() => '')
/**
 * Limits per process: any user can start many programs with megabytes of arguments; the relevant part is at the
 * beginning.
 */
const maxCommandBytes = 16 * 1024
const maxEnvironmentBytes = 128 * 1024
const lookedAtTogether = 64
/** Limit for the descriptors of a process: display servers open their sockets early, and any user may open a million. */
const maxDescriptors = 1024
const keptVariables = new Set([
  'DISPLAY',
  'XAUTHORITY',
  'XDG_CURRENT_DESKTOP',
  'WAYLAND_DISPLAY',
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
])

const splitList = (text: string) => text.split('\0').filter((part) => part !== '')

/** Parses the environment that a process was started with. */
function variablesIn(environment: Buffer): ReadonlyMap<string, string> {
  const variables = splitList(environment.toString('latin1')).map((variable) => {
    const end = variable.indexOf('=')
    return [variable.slice(0, end), variable.slice(end + 1)] as const
  })
  return new Map(variables.filter(([name]) => keptVariables.has(name)))
}

/**
 * Lists ids and users of all processes. The kernel serves both without access to the process's memory, which may hang.
 */
async function listIds(folder: string) {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^\d+$/.test(name))
  const ids: { id: number; userId: number }[] = []
  for (const some of chunksOf(names, lookedAtTogether)) {
    const stats = await Promise.all(some.map((name) => stat(join(folder, name)).catch(() => null)))
    some.forEach((name, index) => stats[index] && ids.push({ id: Number(name), userId: stats[index].uid }))
  }
  return ids
}

/** Lists all processes. For a process whose memory does not respond, only id and user are known (T37). */
export async function listProcesses(folder: string): Promise<RunningProcess[]> {
  const found = (await listIds(folder)).map((ids): RunningProcess => ({
    ...ids,
    program: '',
    arguments: [],
    environment: new Map(),
  }))
  const files = found.flatMap((process) =>
    (['cmdline', 'environ'] as const).map((name) => ({
      path: join(folder, String(process.id), name),
      userId: process.userId,
      name,
      process,
    })),
  )
  await isolatedReader.read(files, maxEnvironmentBytes, ({ name, process }, bytes) => {
    if (name === 'environ') {
      process.environment = variablesIn(bytes)
    } else {
      const [program = '', ...rest] = splitList(bytes.toString('latin1', 0, maxCommandBytes))
      process.program = basename(program)
      process.arguments = rest
    }
  })
  return found
}

async function listDescriptors(folder: string) {
  const names: string[] = []
  try {
    for await (const { name } of await opendir(folder)) {
      names.push(name)
      if (names.length === maxDescriptors) {
        break
      }
    }
  } catch {
    // The process has ended, or belongs to another user.
  }
  return names
}

/**
 * Lists the paths of the sockets that a process has open. Untrusted: line breaks in the path of a socket look like rows
 * of the kernel's table, so any user can add paths to the process of another user (T32).
 */
export async function readSocketPaths(folder: string, id: number): Promise<readonly string[]> {
  const own = join(folder, String(id), 'fd')
  const [table, names] = await Promise.all([readText(join(folder, 'net', 'unix')), listDescriptors(own)])
  const targets = await Promise.all(names.map((name) => readlink(join(own, name)).catch(() => '')))
  const inodes = new Set(targets.map((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1]))
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => inodes.has(columns[6]))
    .map((columns) => columns[7] ?? '')
}
