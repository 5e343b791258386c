import type { Config } from '../settings/config.ts'
import { createLog } from '../ground/log.ts'
import type { Dependencies } from '../open-app.ts'
import { StartError } from '../ground/start-error.ts'

/** Output of a command, and the settings that it was started with. */
export interface Terminal {
  /** Prints a line on standard output. */
  say(line: string): void
  loadConfig(): Config
}

/** Runs a command with its arguments; returns the exit status. Throws a `StartError` with the reason. */
export type Command = (args: readonly string[], terminal: Terminal) => Promise<number>

export const noData = (directory: string): StartError =>
  new StartError(
    `There is no data of Farhand in ${directory}. Name its folder in Service_DataDirectory; the window opens it with File, Open Data Folder.`,
  )

/** Dependencies of a command that opens the data folder: warnings and errors go to standard error. */
export const dependencies = (): Dependencies => ({ log: createLog({ default: 'Warning' }, process.stderr) })
