import { readFileSync } from 'node:fs'
import { StartError } from '../ground/start-error.ts'

/** PEM of the authorities in the file that a setting names; undefined without a file. Throws a `StartError` if it cannot be read. */
export function readAuthorities(file: string | undefined, setting: string): string | undefined {
  try {
    return file === undefined ? undefined : readFileSync(file, 'utf8')
  } catch (error) {
    throw new StartError(`${file} (${setting}) cannot be read. Correct the path or the permissions.`, { cause: error })
  }
}
