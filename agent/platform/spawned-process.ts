import { spawn, type ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { deferred } from '../../shared/deferred.ts'
import { desktopCommand, secureDesktopCommand } from '../base/arguments.ts'
import type { CommandLine } from '../base/command-line.ts'
import { programFile } from '../base/version.ts'
import type { StartedProcess } from './found-desktop.ts'

/** Command line that starts this program as a desktop's process. */
export const desktopProgram = (...args: string[]): CommandLine => [
  process.execPath,
  programFile(),
  desktopCommand,
  ...args,
]

/** Command line that starts this program as the helper of a desktop's process for the secure desktop. */
export const secureDesktopProgram = (...args: string[]): CommandLine => [
  process.execPath,
  programFile(),
  secureDesktopCommand,
  ...args,
]

/** Process id, output and exit of a spawned child, on every system. */
export function watched(child: ChildProcess): Pick<StartedProcess, 'pid' | 'outputs' | 'ended'> {
  const { promise: ended, resolve } = deferred<string>()
  child.on('error', (error) => resolve(error.message))
  child.on('exit', (status, signal) => resolve(`status ${status ?? signal}`))
  const outputs = [child.stdout, child.stderr].filter((output): output is Readable => output !== null)
  return { pid: child.pid, outputs: Promise.resolve(outputs), ended }
}

interface SpawnOptions {
  environment: Record<string, string>
  /** User to start the process as; the user of this program by default. */
  as?: { uid: number; gid: number } | undefined
}

/** Spawns a desktop's process on systems where the child inherits a socket to the agent. */
export function spawnDesktop([program, ...args]: CommandLine, { environment, as }: SpawnOptions): StartedProcess {
  const child = spawn(program, args, {
    cwd: '/',
    env: environment,
    // Inherits nothing else, not even the agent's log file. The last descriptor carries the calls.
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
