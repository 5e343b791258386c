import { accessSync, constants } from 'node:fs'
import { preparedProblem } from '../ground/prepared-path.ts'
import { readJournal, type Home } from '../engines/process/program-home.ts'
import type { ProgramKind } from './program-kind.ts'

/** The desktop program, whose packages have one kind. */
export interface DesktopProgram extends Pick<ProgramKind, 'packageEnding' | 'roomFactor' | 'problem' | 'store'> {
  /** Keeps the running version in `home`, for the way back, and makes it the current one there. */
  keepRunning(): Promise<void>
}

/** Installation with versions beside each other, whose keeper supervises this process. */
export interface VersionsHost {
  readonly home: Home
  /** Name of the version that runs, in `home`. */
  readonly name: string
  /** Undefined for the server package. */
  readonly desktop?: DesktopProgram
  /** Ends this process in order, so that the keeper carries on with the update. */
  handOver(): void
  /** Reports to the keeper how many of the devices that were connected before are back. */
  reportBack(count: number): void
  /** Calls `settled` when the keeper has settled an update while this process runs. */
  onSettled(settled: () => void): void
}

/** How this copy of the program can be replaced; undefined: not by itself. */
export type UpdateHost = VersionsHost | undefined

/** Reason why this copy cannot install updates, with what to do; null if it can. */
export function hostProblem(host: UpdateHost): string | null {
  if (host === undefined) {
    return 'This copy of Farhand was not started from an installed package, so it cannot replace itself. Install the server package of the release.'
  }
  const { folder } = host.home
  const problemOfProgram = host.desktop?.problem() ?? null
  if (problemOfProgram !== null) {
    return problemOfProgram
  }
  try {
    accessSync(folder, constants.W_OK)
  } catch {
    return `The account of the server may not write to ${folder}. Give it that folder, or run "farhand update install" as its owner.`
  }
  const problem = preparedProblem(folder)
  return problem === undefined ? null : `Updates are not installed in ${folder}: ${problem}.`
}

/** Whether this process may stay without its data: a version on trial must end instead, so that its keeper goes back. */
export function mayStayWithoutData(host: UpdateHost): boolean {
  const journal = host && readJournal(host.home)
  return journal === undefined || journal.step === 'ended'
}
