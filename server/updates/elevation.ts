import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { type Command, system } from '../ground/system.ts'
import { UpdateProblem } from './update-problem.ts'

/** Runs a program to its end; throws an `UpdateProblem` with its last output unless it succeeds. Returns its output. */
export async function runToEnd([program, ...args]: Command, what: string): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
  const ended = new Promise<number | Error>((resolve) => {
    child.once('error', resolve)
    child.once('close', (status) => resolve(status ?? 1))
  })
  const [output, errors, status] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  if (status !== 0) {
    const last = (errors.trim() || output.trim()).split('\n').slice(-3).join(' ').slice(-400)
    const how = status instanceof Error ? status.message : `status ${status}. ${last}`.trim()
    throw new UpdateProblem(`${what} failed: ${how}`)
  }
  return output
}

export const runElevated = (command: Command, what: string): Promise<string> => runToEnd(system.elevated(command), what)
