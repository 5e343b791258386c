import { readFile, readdir } from 'node:fs/promises'

/** Clock ticks per second of /proc; 100 on every Linux that Node supports. */
const ticksPerSecond = 100

/** CPU seconds by thread, as `process/thread`. */
export type ThreadSeconds = Map<string, number>

const fieldsOf = (stat: string) => stat.slice(stat.lastIndexOf(')') + 2).split(' ')
const read = (file: string) => readFile(file, 'utf8').catch(() => '')

/** Role of a process of Chromium; the first process has none. */
const roleOf = (commandLine: string) => /--type=([\w-]+)/.exec(commandLine)?.[1] ?? 'browser'

async function addThreads(pid: number, role: string, to: ThreadSeconds) {
  for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) {
    const stat = await read(`/proc/${pid}/task/${thread}/stat`)
    const fields = fieldsOf(stat)
    const name = Number(thread) === pid ? 'main' : stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    const key = `${role}/${name.replace(/[\d#/:]+$/, '')}`
    to.set(key, (to.get(key) ?? 0) + (Number(fields[11]) + Number(fields[12])) / ticksPerSecond)
  }
}

/** CPU seconds so far of the threads of one process (Linux). */
export async function threadsOf(pid: number, role: string): Promise<ThreadSeconds> {
  const seconds: ThreadSeconds = new Map()
  await addThreads(pid, role, seconds)
  return seconds
}

/** CPU seconds so far of the threads of a browser: of its first process and all descendants. */
export async function browserThreads(rootPid: number): Promise<ThreadSeconds> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const parents = new Map<number, number>()
  for (const pid of pids) {
    parents.set(pid, Number(fieldsOf(await read(`/proc/${pid}/stat`))[1]))
  }
  const isOurs = (pid: number): boolean => pid === rootPid || (pid > 1 && isOurs(parents.get(pid) ?? 0))
  const seconds: ThreadSeconds = new Map()
  for (const pid of pids.filter(isOurs)) {
    await addThreads(pid, roleOf(await read(`/proc/${pid}/cmdline`)), seconds)
  }
  return seconds
}

/** Finds the process whose command line contains a text. */
export async function pidOf(text: string): Promise<number> {
  for (const name of await readdir('/proc')) {
    const line = await read(`/proc/${name}/cmdline`)
    if (line.includes(text) && !line.includes('--type=')) {
      return Number(name)
    }
  }
  throw new Error(`No process with ${text} was found.`)
}
