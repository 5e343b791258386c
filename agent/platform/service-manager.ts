import type { Paths } from '../base/paths.ts'

/** Service definition, independent of the service manager. */
export interface ServiceSpec {
  instanceId: string | undefined
  /** Program and arguments of the `run` command. */
  run: readonly [string, ...string[]]
  /** Program and arguments of the `uninstall` command. */
  uninstall: readonly [string, ...string[]]
  /** Folder of the version to start, if an installer has put it there. */
  version?: string | undefined
  paths: Paths
}

export interface ServiceManager {
  /** Description for people, such as "systemd service farhand.agent.service". */
  describe(spec: ServiceSpec): string
  /** Whether the service manager runs here and the user may use it. */
  isAvailable(): Promise<boolean>
  isInstalled(spec: ServiceSpec): boolean | Promise<boolean>
  /** Folder that must exist, closed to other users, before `install`. */
  privateFolder?(paths: Paths): string
  /**
   * Registers the service or updates its registration, and restarts the agent. If killed at any point, leaves a
   * definition that starts the agent. Throws `UserError`.
   */
  install(spec: ServiceSpec): Promise<void>
  /** Folder of the version that the definition starts; not implemented where definitions name a link to the version. */
  startedVersion?(spec: ServiceSpec): Promise<string | undefined>
  /** Whether the agent that `install` started has ended and is not started again. */
  hasEnded?(): boolean
  /** Ends the running agent; the registration stays. */
  stop(spec: ServiceSpec): Promise<void>
  uninstall(spec: ServiceSpec): Promise<void>
  /** Note for the person after an installation with this manager. */
  note?(spec: ServiceSpec): string
}
