import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { UpdateProblem } from './problem.ts'

type Command = readonly [string, ...string[]]

const forPowerShell = (word: string) => `'${word.replaceAll("'", "''")}'`
const forShell = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`
const forAppleScript = (text: string) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`

/** Command that runs a command as administrator, after the system has asked a person. */
export function elevated(command: Command, platform: NodeJS.Platform): Command {
  const [program, ...args] = command
  if (platform === 'win32') {
    const list = args.map((each) => forPowerShell(`"${each}"`)).join(',')
    const start = `Start-Process -FilePath ${forPowerShell(program)} -ArgumentList ${list} -Verb RunAs -Wait -PassThru`
    const script = `$ErrorActionPreference = 'Stop'; $started = ${start}; exit $started.ExitCode`
    return ['powershell.exe', '-NoProfile', '-NonInteractive', '-Command', script]
  }
  if (platform === 'darwin') {
    const script = `do shell script ${forAppleScript(command.map(forShell).join(' '))} with administrator privileges`
    return ['osascript', '-e', script]
  }
  return ['pkexec', ...command]
}

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

/** Runs a program as administrator to its end. */
export const runElevated = (command: Command, what: string): Promise<string> =>
  runToEnd(elevated(command, process.platform), what)
