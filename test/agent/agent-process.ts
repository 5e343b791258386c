import { spawn, type ChildProcess } from 'node:child_process'
import { onTestFinished } from 'vitest'

const main = new URL('../../agent/main.ts', import.meta.url).pathname

interface Ended {
  status: number | null
  stdout: string
  stderr: string
}

/** The agent as a process of its own, as people start it. */
export function startAgent(...args: string[]): { child: ChildProcess; ended: Promise<Ended>; output: () => string } {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended: Ended = { status: null, stdout: '', stderr: '' }
  child.stdout.on('data', (text) => (ended.stdout += text))
  child.stderr.on('data', (text) => (ended.stderr += text))
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    child,
    output: () => ended.stdout + ended.stderr,
    ended: new Promise((resolve) => child.on('close', (status) => resolve({ ...ended, status }))),
  }
}

export const runAgent = (...args: string[]) => startAgent(...args).ended
