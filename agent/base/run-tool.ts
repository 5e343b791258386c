import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { withEnvironment } from './environment.ts'
import { UserError } from './errors.ts'

const execute = promisify(execFile)

/** Returns the output of a system program; empty if the program is missing, fails or takes longer than 10 s. */
export const runTool = (file: string, ...args: string[]): Promise<string> =>
  execute(file, args, { timeout: 10_000, windowsHide: true, maxBuffer: 4 * 1024 * 1024 }).then(
    ({ stdout }) => stdout,
    () => '',
  )

/** Runs a system program; a failure becomes a `UserError` with the program's name and output. */
export const runOrExplain = (file: string, ...args: string[]): Promise<string> => runWith({}, file, ...args)

/** Works like `runOrExplain`, with variables added to the program's environment. */
export async function runWith(variables: Record<string, string>, file: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await execute(file, args, {
      timeout: 60_000,
      windowsHide: true,
      env: withEnvironment(variables),
    })
    return stdout
  } catch (error) {
    const { stderr, stdout, message } = error as Error & { stderr?: string; stdout?: string }
    const said = (stderr || stdout || message).trim()
    throw new UserError(`"${[file, ...args].join(' ')}" failed: ${said}`)
  }
}

/** Runs a program whose failure is ignored. */
export const tryRun = (file: string, ...args: string[]): Promise<boolean> =>
  runOrExplain(file, ...args).then(
    () => true,
    () => false,
  )
