import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { serverProgram } from './built-programs.ts'

/**
 * Runs a command about backups on a data folder, as a person at the computer does; `typed` is what that person types,
 * and `onError` is called with each part of its standard error.
 */
export async function runBackupCommand(
  directory: string,
  args: readonly string[],
  typed = '',
  onError = (_part: string) => {},
) {
  const env = { ...process.env, Service_DataDirectory: directory, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' }
  const child = spawn(process.execPath, [serverProgram, ...args], { env, cwd: '/' })
  child.stdin.end(`${typed}\n`)
  child.stderr.on('data', (part: Buffer) => onError(part.toString()))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { status: await ended, stdout, stderr }
}

/** The recovery key that `recovery-key new` has printed. */
export const recoveryKeyIn = (stdout: string) => /^Recovery key: (\S+)$/m.exec(stdout)![1]!
