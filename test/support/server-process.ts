import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { serverProgram } from './built-programs.ts'

const root = join(import.meta.dirname, '..', '..')
const probe = ['--expose-gc', '--import', join(root, 'tools', 'soak', 'probe.ts')]

export interface ServerProcess {
  url: string
  pid: number
  /** Output so far, stdout and stderr. */
  lines: string[]
  /** Heap and buffers in use after a garbage collection, without reserved memory. */
  liveBytes(): Promise<number>
  /** Resolves when the process has ended. */
  ended: Promise<void>
  /** Ends the process with SIGKILL. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/** Registers work for the end of a test, or of a file. */
export type AtEnd = (work: () => void | Promise<void>) => void

/** Creates a folder that is deleted with the test. */
export async function temporaryFolder(atEnd: AtEnd = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'farhand-test-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}

interface ServerStart {
  args?: readonly string[]
  ready?: 'Listening' | 'Restore a backup'
  /** Program for Node; another one than that of this checkout. */
  program?: string
}

/** Starts the headless server in a separate process; `settings` are keys without prefix, `variables` are as they are. */
export async function startServerProcess(
  directory: string,
  settings: Record<string, string> = {},
  variables: Record<string, string> = {},
  atEnd: AtEnd = onTestFinished,
  { args = [], ready = 'Listening', program = serverProgram }: ServerStart = {},
): Promise<ServerProcess> {
  const all = { Urls: 'http://127.0.0.1:0', DataDirectory: directory, ...settings }
  const env = Object.fromEntries(Object.entries(all).map(([key, value]) => [`Service_${key}`, value]))
  const child = spawn(process.execPath, [...probe, program, ...args], {
    env: { ...process.env, ...variables, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const endBy = (signal: NodeJS.Signals) => async () => {
    child.kill(signal)
    await ended
  }
  atEnd(endBy('SIGKILL'))
  const lines: string[] = []
  const url = await new Promise<string>((resolve, reject) => {
    for (const output of [child.stdout, child.stderr]) {
      createInterface(output!).on('line', (line) => {
        lines.push(line)
        const [, state, found] = /^(Listening|Restore a backup) on (\S+)/.exec(line) ?? []
        if (found !== undefined && state === ready) {
          resolve(found)
        } else if (state === 'Restore a backup') {
          // Rejected below, when all of its output is there.
          child.kill('SIGKILL')
        }
      })
    }
    void ended.then(() => reject(new Error(`The server did not start: ${lines.join('\n')}`)))
  })
  const liveBytes = async () => {
    const answered = once(child, 'message')
    child.send('measure')
    const [{ liveMb }] = (await answered) as [{ liveMb: number }]
    return liveMb * 1024 * 1024
  }
  return { url, pid: child.pid!, lines, ended, liveBytes, kill: endBy('SIGKILL'), stop: endBy('SIGTERM') }
}
