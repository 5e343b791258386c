import type { App } from '../call/call.ts'
import type { RescueAnswer, RescueRequest } from '../identity/rescue.ts'

export interface RunningServer {
  urls: string[]
  /**
   * Setup code for the first account, unless it is created on this machine; null if it exists, or none may be created.
   */
  setupCode: string | null
  secretStore: App['secretStore']
  /** Why the data could not be opened, so that this server only restores a backup; null if it serves its data. */
  problem: string | null
  /** PEM certificate of the authority for https addresses; null without one. */
  authorityPem: string | null
  /** True if a PEM certificate has the key that this server currently serves. */
  isOwnCertificate(pem: string): Promise<boolean>
}

/** The whole service, in the process of its host. */
export interface ApplianceServer {
  /** Resolves once the server listens; throws a `StartError` with the solution in its text. */
  start(): Promise<RunningServer>
  /**
   * Stops in reverse order; resolves when everything has stopped, or at the time limit. With a signal, one of several servers lets
   * the others take over first, until the signal aborts.
   */
  stop(drainUntil?: AbortSignal): Promise<void>
  /** Carries out a command for an account while the server runs. */
  rescue(request: RescueRequest): Promise<RescueAnswer>
  /** Number of remote sessions that run at this moment. */
  sessionCount(): number
  /** Names of mirror entries that differ from the database; empty unless there is a bug. */
  differences(): Promise<string[]>
  /** Data of the running server, for tests that change what no route changes: its mirrors follow such a write. */
  data(): Pick<App, 'database' | 'models'>
}
