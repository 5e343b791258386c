import { execFile } from 'node:child_process'
import { serverProgram } from './built-programs.ts'

/** Runs `account` with arguments on a data folder, as a person at the computer does. */
export const runAccountCommand = (directory: string, ...args: string[]) =>
  new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
    const env = { ...process.env, Service_DataDirectory: directory, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' }
    execFile(
      process.execPath,
      [serverProgram, 'account', ...args],
      { env, timeout: 60_000 },
      (error, stdout, stderr) => {
        resolve({ status: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr })
      },
    )
  })

/** The temporary password that `reset-password` has printed. */
export const temporaryPasswordIn = (stdout: string) => /^Temporary password of \S+: (\S+)$/m.exec(stdout)![1]!
