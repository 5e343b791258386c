import { spawn, type ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { deferred } from '../../shared/deferred.ts'
import { desktopCommand } from '../base/config.ts'
import type { CommandLine } from '../base/command-line.ts'
import { programFile } from '../base/version.ts'
import type { StartedProcess } from './found-desktop.ts'

/** This program, as the process of a desktop. */
export const desktopProgram = (...args: string[]): CommandLine => [
  process.execPath,
  programFile(),
  desktopCommand,
  ...args,
]

/** What a started child tells of itself, on every system. */
export function watched(child: ChildProcess): Pick<StartedProcess, 'pid' | 'outputs' | 'ended'> {
  const { promise: ended, resolve } = deferred<string>()
  child.on('error', (error) => resolve(error.message))
  child.on('exit', (status, signal) => resolve(`status ${status ?? signal}`))
  const outputs = [child.stdout, child.stderr].filter((output): output is Readable => output !== null)
  return { pid: child.pid, outputs: Promise.resolve(outputs), ended }
}

interface SpawnOptions {
  environment: Record<string, string>
  /** As whom; by default as the user of this program. */
  as?: { uid: number; gid: number } | undefined
}

/** Starts the process of a desktop on systems where a child finds the agent at a descriptor of its own. */
export function spawnDesktop([program, ...args]: CommandLine, { environment, as }: SpawnOptions): StartedProcess {
  const child = spawn(program, args, {
    cwd: '/',
    env: environment,
    // Not even a file of the agent's log is open there. The last one carries the calls.
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    ...as,
  })
  const channel = child.stdio[3]
  const started = watched(child)
  return {
    ...started,
    channel:
      channel instanceof Socket
        ? Promise.resolve(channel)
        : started.ended.then((how) => Promise.reject(new Error(`It did not start: ${how}`))),
    end: (isForced) => void child.kill(isForced ? 'SIGKILL' : 'SIGTERM'),
  }
}
