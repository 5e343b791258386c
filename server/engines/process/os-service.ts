export interface ServiceSpec {
  /** Program and arguments. */
  command: readonly [string, ...string[]]
  /** Settings of the server, as environment variables. */
  environment: Readonly<Record<string, string>>
  dataDirectory: string
  /** Time for an orderly stop. */
  stopSeconds: number
  /** Own account of a service of the whole computer; undefined: it runs as the user who installs it. */
  account: string | undefined
}

/** A part of an installation: a file, a folder, or a program that is run. */
export type Step =
  | { file: string; content: string; mode: number }
  | { folder: string; mode: number }
  /** A folder is removed with everything in it. */
  | { remove: string }
  /** Fails where users other than root and the service's account may have made a folder, or changed it (T36). */
  | { unprepared: string; account: string }
  | {
      run: readonly [string, ...string[]]
      /** The installation continues if the program fails: what the program creates may already exist. */
      mayFail?: true
    }
  /** Work without a program of the system; `purpose` is shown. */
  | { call: () => Promise<void>; purpose: string }

export interface ServiceManager {
  /** Name for people: "systemd service farhand-server". */
  describe: string
  /** Account of a service of the whole computer. */
  account: string
  /**
   * Folder in which a service of the whole computer announces itself to windows: only its account writes there, and only
   * administrators write to the folder above.
   */
  windowFolder: string
  /** Data folder of a service of the whole computer. */
  dataDirectory: string
  install(spec: ServiceSpec): Step[]
  uninstall(): Step[]
  /** Program that prints the state; exit status 0 while the service runs. */
  status: readonly [string, ...string[]]
  /** File or folder whose presence means that the service is installed; undefined: `status` knows. */
  definition: string | undefined
  /** Options of a program with a window that keep Chromium from looking for a display before our code runs. */
  windowOptions: readonly string[]
  /** Whether the system keeps what a service prints. */
  keepsOutput: boolean
  /** Whether users can have services of their own. */
  hasUserServices: boolean
}
