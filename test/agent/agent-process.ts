import { spawn, type ChildProcess } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { startChild } from '../../tools/simulate/child-program.ts'
import { agentProgram } from '../support/built-programs.ts'

const piped: Parameters<typeof startChild>[1] = ['ignore', 'pipe', 'pipe']

interface Ended {
  status: number | null
  stdout: string
  stderr: string
}

export interface RunningAgent {
  child: ChildProcess
  ended: Promise<Ended>
  output: () => string
}

/** Starts the agent as a separate process, as people do. */
export function startAgent(...args: string[]): RunningAgent {
  return followed(startChild([agentProgram, ...args], piped))
}

/** Starts the agent as another user of this machine, with its own home folder; requires root. */
export const startAgentAs = (uid: number, home: string, ...args: string[]) =>
  followed(
    startChild([agentProgram, ...args], piped, {
      uid,
      gid: uid,
      cwd: '/',
      env: { PATH: process.env['PATH'], HOME: home },
    }),
  )

/** Starts the agent on a machine of another name; requires root. */
export const startAgentOn = (name: string, ...args: string[]): RunningAgent => {
  const command = ['--uts', 'sh', '-c', `hostname ${name}; exec "$@"`, 'sh', process.execPath, agentProgram, ...args]
  return followed(spawn('unshare', command, { stdio: piped, cwd: '/' }))
}

function followed(child: ChildProcess): RunningAgent {
  const ended: Ended = { status: null, stdout: '', stderr: '' }
  child.stdout?.on('data', (text) => (ended.stdout += text))
  child.stderr?.on('data', (text) => (ended.stderr += text))
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    child,
    output: () => ended.stdout + ended.stderr,
    ended: new Promise((resolve) => child.on('close', (status) => resolve({ ...ended, status }))),
  }
}

export const runAgent = (...args: string[]) => startAgent(...args).ended
