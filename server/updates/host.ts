import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import type { Home } from './home.ts'
import { preparedProblem } from '../prepared-path.ts'

/** The desktop program as one file, such as an AppImage. */
export interface DesktopFile {
  /** Name of the program in the folder of a version; installers in a release have the same ending. */
  readonly fileName: string
  /** File that people start, which an update replaces. */
  readonly program: string
  /** Keeps the running version in `home`, for the way back, and makes it the current one there. */
  keepRunning(): void
}

/** Installation with versions beside each other, whose keeper supervises this process. */
export interface VersionsHost {
  readonly kind: 'versions'
  readonly home: Home
  /** Name of the version that runs, in `home`. */
  readonly name: string
  /** Undefined for the server package. */
  readonly desktop?: DesktopFile
  /** Ends this process in order, so that the keeper carries on with the update. */
  handOver(): void
  /** Reports to the keeper how many of the devices that were connected before are back. */
  reportBack(count: number): void
  /** Calls `settled` when the keeper has settled an update while this process runs. */
  onSettled(settled: () => void): void
}

/** The desktop program, which its own installer replaces. */
export interface DesktopHost {
  readonly kind: 'desktop'
  /** End of the name of the installers for this system, such as `.deb`. */
  readonly installerExtension: string
  /** Opens a verified installer. */
  openInstaller(file: string): Promise<void>
}

/** How this copy of the program can be replaced; undefined: not by itself. */
export type UpdateHost = VersionsHost | DesktopHost | undefined

/** Reason why this copy cannot install updates, with what to do; null if it can. */
export function hostProblem(host: UpdateHost): string | null {
  if (host === undefined) {
    return 'This copy of Farhand was not started from an installed package, so it cannot replace itself. Install the server package of the release.'
  }
  if (host.kind === 'desktop') {
    return null
  }
  const { folder } = host.home
  const { program } = host.desktop ?? {}
  try {
    if (program !== undefined) {
      accessSync(dirname(program), constants.W_OK)
    }
  } catch {
    return `You may not write to ${dirname(program ?? '')}, so ${program} cannot be replaced. Move that file to a folder of yours and start it there.`
  }
  try {
    accessSync(folder, constants.W_OK)
  } catch {
    return `The account of the server may not write to ${folder}. Give it that folder, or run "farhand update install" as its owner.`
  }
  const problem = preparedProblem(folder)
  return problem === undefined ? null : `Updates are not installed in ${folder}: ${problem}.`
}
