import { accessSync, constants } from 'node:fs'
import type { Home } from './home.ts'
import { preparedProblem } from '../prepared-path.ts'

/** Installation with versions beside each other, whose keeper supervises this process. */
export interface VersionsHost {
  readonly kind: 'versions'
  readonly home: Home
  /** Ends this process in order, so that the keeper carries on with the update. */
  handOver(): void
  /** Tells the keeper how many devices of before are back. */
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
  try {
    accessSync(folder, constants.W_OK)
  } catch {
    return `The account of the server may not write to ${folder}. Give it that folder, or run "farhand update install" as its owner.`
  }
  const problem = preparedProblem(folder)
  return problem === undefined ? null : `Updates are not installed in ${folder}: ${problem}.`
}
