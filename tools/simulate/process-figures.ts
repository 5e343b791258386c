import { readdir, readFile } from 'node:fs/promises'

/** Clock ticks per second of /proc; 100 on every Linux that Node supports. */
const ticksPerSecond = 100
/** Fields of /proc/PID/stat after the name of the program: time in user and system mode. */
const timesOf = { process: [11, 12], 'process and its ended children': [11, 12, 13, 14] }

/** Fields of /proc/PID/stat after the name of the program; empty for a process that has ended. */
export async function statOf(pid: number | string | undefined): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** CPU seconds of a process so far, user and system (Linux). */
export async function cpuSecondsOf(
  pid: number | string | undefined,
  of: keyof typeof timesOf = 'process',
): Promise<number> {
  const fields = await statOf(pid)
  return timesOf[of].reduce((sum, field) => sum + Number(fields[field] ?? 0), 0) / ticksPerSecond
}

/** Resident memory of a process in MB (Linux). */
export async function memoryMbOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

/** Number of open files and sockets of a process (Linux). */
export const openFilesOf = async (pid: number | undefined): Promise<number> => (await readdir(`/proc/${pid}/fd`)).length
