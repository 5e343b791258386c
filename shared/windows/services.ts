/** Services of this computer, by the functions of the service control manager. */
import { setTimeout as wait } from 'node:timers/promises'
import { lastErrorOf, reasonOf, type Failure, type Handle, type Koffi, type Out } from './calls.ts'
import {
  autoStart,
  failureAction,
  longestStopMs,
  managerAccess,
  normalErrorControl,
  ownProcess,
  serviceAccess,
  serviceControl,
  serviceState,
  winsvc,
  type WinSvc,
} from './winsvc.ts'

export interface ServiceDefinition {
  name: string
  displayName: string
  description: string
  commandLine: string
  /** Account without a password; SYSTEM if omitted. */
  account?: string
  /** Whether it starts after the other services. */
  isDelayed?: boolean
  /** Delay of the restart after a failure. */
  restartDelayMs: number
  /** Restarts without a time of quiet between them; unlimited if omitted. */
  maxRestarts?: number
  /** Seconds without a failure after which Windows forgets earlier ones. */
  quietSeconds: number
}

const invalidLevel = 124
const serviceMissing = 1060
const alreadyRunning = 1056
const notActive = 1062
const takesNoControls = 1061
/** Longest stop without a sign that it goes on: an agent needs 4 s at most, a server 12 s, and one of several longer. */
const stopLimitMs = 20_000
const lookEveryMs = 100

/** Actions of Windows after each failure in a row; the last one is repeated. */
const failureActions = ({ restartDelayMs: delayMs, maxRestarts }: ServiceDefinition) => {
  const restarts = Array.from({ length: maxRestarts ?? 1 }, () => ({ type: failureAction.restart, delayMs }))
  return maxRestarts === undefined ? restarts : [...restarts, { type: failureAction.none, delayMs: 0 }]
}

/** Whether a process is there; one that this user may not open is. */
function isThere(processId: number): boolean {
  try {
    return process.kill(processId, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Methods reject with a `Failure` when Windows refuses something. */
export class WindowsServices {
  readonly #api: WinSvc
  readonly #lastError: () => number
  readonly #Failure: Failure

  constructor(koffi: Koffi, failure: Failure) {
    this.#api = winsvc(koffi)
    this.#lastError = lastErrorOf(koffi)
    this.#Failure = failure
  }

  #fail(what: string): never {
    throw new this.#Failure(`Windows did not ${what}: ${reasonOf(this.#lastError())}.`)
  }

  async #withManager<T>(access: number, use: (manager: Handle) => T | Promise<T>): Promise<T> {
    const manager = this.#api.openScManager(null, null, access)
    if (manager === 0) {
      this.#fail('open its service control manager')
    }
    try {
      return await use(manager)
    } finally {
      this.#api.closeServiceHandle(manager)
    }
  }

  /** Opens a service for `use`. Resolves with undefined if the service is missing. */
  #withService<T>(name: string, access: number, use: (service: Handle) => T | Promise<T>): Promise<T | undefined> {
    return this.#withManager(managerAccess.connect, async (manager) => {
      const service = this.#api.openService(manager, name, access)
      if (service === 0) {
        return this.#lastError() === serviceMissing ? undefined : this.#fail(`open the service ${name}`)
      }
      try {
        return await use(service)
      } finally {
        this.#api.closeServiceHandle(service)
      }
    })
  }

  #statusOf(service: Handle) {
    const status: { state?: number; processId?: number; checkpoint?: number } = {}
    this.#api.queryServiceStatus(service, status)
    return status
  }

  async has(name: string): Promise<boolean> {
    return (await this.#withService(name, serviceAccess.queryStatus, () => true)) ?? false
  }

  /** Returns the command line of a service; undefined if the service is missing. */
  commandLineOf(name: string): Promise<string | undefined> {
    return this.#withService(name, serviceAccess.queryConfig, (service) => {
      const needed: Out<number> = [0]
      this.#api.queryServiceConfig(service, Buffer.alloc(0), 0, needed)
      const bytes = Buffer.alloc(needed[0])
      return this.#api.queryServiceConfig(service, bytes, bytes.length, needed)
        ? this.#api.commandLineIn(bytes)
        : this.#fail(`describe the service ${name}`)
    })
  }

  /** Creates a service that starts with Windows, or replaces its definition in one step. */
  define(definition: ServiceDefinition): Promise<void> {
    return this.#withManager(managerAccess.connect | managerAccess.create, (manager) => {
      const { name, displayName, description, commandLine, account = null } = definition
      const api = this.#api
      const configuration = [
        ...([ownProcess, autoStart, normalErrorControl, commandLine] as const),
        ...([null, null, null, account, null] as const),
      ] as const
      const existing = api.openService(manager, name, serviceAccess.all)
      const service = existing || api.createService(manager, name, displayName, serviceAccess.all, ...configuration)
      if (service === 0) {
        this.#fail(`create the service ${name}`)
      }
      try {
        if (existing !== 0 && !api.changeServiceConfig(service, ...configuration, displayName)) {
          this.#fail(`change the service ${name}`)
        }
        this.#setStarts(service, definition)
        api.setDescription(service, description)
      } finally {
        api.closeServiceHandle(service)
      }
    })
  }

  /** Sets whether the service starts after others, and what happens after a failure. */
  #setStarts(service: Handle, definition: ServiceDefinition) {
    const actions = failureActions(definition)
    const failure = {
      resetSeconds: definition.quietSeconds,
      rebootMessage: null,
      command: null,
      count: actions.length,
      actions,
    }
    // Wine lacks these levels, and starts no service again.
    const isSet = (isDone: boolean) => isDone || this.#lastError() === invalidLevel
    if (
      !this.#api.setFailureActions(service, failure) ||
      !isSet(this.#api.setFailureActionsFlag(service, true)) ||
      !isSet(this.#api.setDelayedStart(service, definition.isDelayed ?? false))
    ) {
      this.#fail(`set when the service ${definition.name} is started`)
    }
  }

  /** Starts a service unless it runs. */
  async start(name: string): Promise<void> {
    const isThereOne = await this.#withService(name, serviceAccess.all, (service) => {
      if (!this.#api.startService(service, 0, null) && this.#lastError() !== alreadyRunning) {
        this.#fail(`start the service ${name}`)
      }
      return true
    })
    if (isThereOne === undefined) {
      throw new this.#Failure(`There is no service ${name}.`)
    }
  }

  /** Stops a service and waits for its end; ignores a missing service. */
  async stop(name: string): Promise<void> {
    await this.#withService(name, serviceAccess.all, (service) => this.#stopAndWait(service, name))
  }

  async #stopAndWait(service: Handle, name: string) {
    const { processId = 0 } = this.#statusOf(service)
    const end = performance.now() + longestStopMs + stopLimitMs
    let until = performance.now() + stopLimitMs
    let lastCheckpoint: number | undefined
    // A service reports its end shortly before that of its process, which has files open.
    for (
      let { state, checkpoint } = this.#statusOf(service);
      state !== serviceState.stopped || (processId !== 0 && isThere(processId));
      { state, checkpoint } = this.#statusOf(service)
    ) {
      if (checkpoint !== lastCheckpoint) {
        lastCheckpoint = checkpoint
        until = performance.now() + stopLimitMs
      }
      // A service that is starting takes no controls yet.
      const isRefused = state === serviceState.running && !this.#api.controlService(service, serviceControl.stop, {})
      if (isRefused && ![notActive, takesNoControls].includes(this.#lastError())) {
        this.#fail(`stop the service ${name}`)
      }
      if (performance.now() > Math.min(until, end)) {
        throw new this.#Failure(`The service ${name} did not stop. End its process in the Task Manager, and try again.`)
      }
      await wait(lookEveryMs)
    }
  }

  /** Removes a stopped service; ignores a missing service. */
  async remove(name: string): Promise<void> {
    await this.#withService(name, serviceAccess.all, (service) => {
      if (!this.#api.deleteService(service)) {
        this.#fail(`remove the service ${name}`)
      }
    })
  }
}
