import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Returns the output of a system program; empty if the program is missing, fails or takes longer than 10 s. */
export const runTool = (file: string, ...args: string[]): Promise<string> =>
  execute(file, args, { timeout: 10_000, windowsHide: true, maxBuffer: 4 * 1024 * 1024 }).then(
    ({ stdout }) => stdout,
    () => '',
  )
