/** How packages of one kind replace the desktop program. A version is a folder below `versions/` of the installation. */
export interface ProgramKind {
  /** End of the names of its packages in a release, such as `.deb`. */
  readonly packageEnding: string
  /** Program that people start. */
  readonly program: string
  /** Free space that an update needs, in sizes of its package. */
  readonly roomFactor: number
  /** Explains why the program cannot be replaced here, with what to do; null if it can. */
  problem(): string | null
  /** Moves or unpacks a verified package into the new folder of its version. */
  store(file: string, folder: string, signal: AbortSignal): Promise<void>
  /** Copies the installed version into its folder, for the keeper and the way back, unless a copy is there. */
  keep(folder: string): Promise<void>
  /** Command of the copy of a version, which carries an update out while the installed program is replaced. */
  keeper(folder: string): [string, ...string[]]
  /** Prepares a version for its trial, and returns its program. */
  ready(folder: string): Promise<string>
  /** Makes a version the installed one, unless it is. May be killed, and is called again then. */
  install(folder: string): Promise<void>
}
