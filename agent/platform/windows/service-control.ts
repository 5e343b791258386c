/** Services of this device, by the functions of the service control manager. */
import { setTimeout as wait } from 'node:timers/promises'
import { UserError } from '../../base/errors.ts'
import { common, reasonOf, type Handle, type Out } from './library.ts'
import {
  autoStart,
  managerAccess,
  normalErrorControl,
  ownProcess,
  restartAction,
  serviceAccess,
  serviceControl,
  serviceState,
  winsvc,
} from './win32/winsvc.ts'

export interface ServiceDefinition {
  name: string
  displayName: string
  description: string
  commandLine: string
  /** Delay of the restart after a failure. */
  restartDelayMs: number
}

/** Seconds without a failure after which Windows forgets earlier ones. */
const resetSeconds = 60
const invalidLevel = 124
const serviceMissing = 1060
const alreadyRunning = 1056
const notActive = 1062
const takesNoControls = 1061
/** Windows allows 30 s too; an agent needs 4 s at most. */
const stopLimitMs = 20_000
const lookEveryMs = 100

async function load() {
  const [{ lastError }, api] = await Promise.all([common(), winsvc()])
  const fail = (what: string): never => {
    throw new UserError(`Windows did not ${what}: ${reasonOf(lastError())}.`)
  }
  return { lastError, api, fail }
}
type Loaded = Awaited<ReturnType<typeof load>>

async function withManager<T>(access: number, use: (manager: Handle, loaded: Loaded) => T | Promise<T>): Promise<T> {
  const loaded = await load()
  const manager = loaded.api.openScManager(null, null, access)
  if (manager === 0) {
    loaded.fail('open its service control manager')
  }
  try {
    return await use(manager, loaded)
  } finally {
    loaded.api.closeServiceHandle(manager)
  }
}

/** Opens a service for `use`. Resolves with undefined if the service is missing; rejects with a UserError. */
const withService = <T>(
  name: string,
  access: number,
  use: (service: Handle, loaded: Loaded) => T | Promise<T>,
): Promise<T | undefined> =>
  withManager(managerAccess.connect, async (manager, loaded) => {
    const { api, lastError, fail } = loaded
    const service = api.openService(manager, name, access)
    if (service === 0) {
      return lastError() === serviceMissing ? undefined : fail(`open the service ${name}`)
    }
    try {
      return await use(service, loaded)
    } finally {
      api.closeServiceHandle(service)
    }
  })

const statusOf = ({ api }: Loaded, service: Handle) => {
  const status: { state?: number; processId?: number } = {}
  api.queryServiceStatus(service, status)
  return status
}

export const hasService = async (name: string): Promise<boolean> =>
  (await withService(name, serviceAccess.queryStatus, () => true)) ?? false

/** Returns the command line of a service; undefined if the service is missing. */
export const commandLineOf = (name: string): Promise<string | undefined> =>
  withService(name, serviceAccess.queryConfig, (service, { api, fail }) => {
    const needed: Out<number> = [0]
    api.queryServiceConfig(service, Buffer.alloc(0), 0, needed)
    const bytes = Buffer.alloc(needed[0])
    return api.queryServiceConfig(service, bytes, bytes.length, needed)
      ? api.commandLineIn(bytes)
      : fail(`describe the service ${name}`)
  })

/**
 * Creates a service that starts with Windows, or replaces its definition in one step. Restarts the service after a
 * failure, however often. Rejects with a UserError.
 */
export const defineService = ({ name, displayName, description, commandLine, restartDelayMs }: ServiceDefinition) =>
  withManager(managerAccess.connect | managerAccess.create, (manager, { api, lastError, fail }) => {
    const configuration = [
      ...([ownProcess, autoStart, normalErrorControl, commandLine] as const),
      ...([null, null, null, null, null] as const),
    ] as const
    const existing = api.openService(manager, name, serviceAccess.all)
    const service = existing || api.createService(manager, name, displayName, serviceAccess.all, ...configuration)
    if (service === 0) {
      fail(`create the service ${name}`)
    }
    try {
      if (existing !== 0 && !api.changeServiceConfig(service, ...configuration, displayName)) {
        fail(`change the service ${name}`)
      }
      const actions = [{ type: restartAction, delayMs: restartDelayMs }]
      const failure = { resetSeconds, rebootMessage: null, command: null, count: actions.length, actions }
      const isSet =
        api.setFailureActions(service, failure) &&
        // Wine lacks this level, and starts no service again.
        (api.setFailureActionsFlag(service, true) || lastError() === invalidLevel)
      if (!isSet) {
        fail(`set what happens after a failure of the service ${name}`)
      }
      api.setDescription(service, description)
    } finally {
      api.closeServiceHandle(service)
    }
  })

/** Starts a service unless it runs. Rejects with a UserError. */
export const startService = (name: string): Promise<void> =>
  withService(name, serviceAccess.all, (service, { api, lastError, fail }) => {
    if (!api.startService(service, 0, null) && lastError() !== alreadyRunning) {
      fail(`start the service ${name}`)
    }
    return true
  }).then((isThere) => {
    if (isThere === undefined) {
      throw new UserError(`There is no service ${name}.`)
    }
  })

/** Whether a process is there; one that this user may not open is. */
function isThere(processId: number): boolean {
  try {
    return process.kill(processId, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

async function stopAndWait(service: Handle, name: string, loaded: Loaded) {
  const { api, lastError, fail } = loaded
  const { processId = 0 } = statusOf(loaded, service)
  const until = performance.now() + stopLimitMs
  // A service reports its end shortly before that of its process, which has files open.
  for (
    let { state } = statusOf(loaded, service);
    state !== serviceState.stopped || (processId !== 0 && isThere(processId));
    { state } = statusOf(loaded, service)
  ) {
    // A service that is starting takes no controls yet.
    const isRefused = state === serviceState.running && !api.controlService(service, serviceControl.stop, {})
    if (isRefused && ![notActive, takesNoControls].includes(lastError())) {
      fail(`stop the service ${name}`)
    }
    if (performance.now() > until) {
      throw new UserError(`The service ${name} did not stop within ${stopLimitMs / 1000} seconds.`)
    }
    await wait(lookEveryMs)
  }
}

/** Stops a service and waits for its end; ignores a missing service. Rejects with a UserError. */
export const stopService = async (name: string): Promise<void> => {
  await withService(name, serviceAccess.all, (service, loaded) => stopAndWait(service, name, loaded))
}

/** Removes a stopped service; ignores a missing service. Rejects with a UserError. */
export const removeService = async (name: string): Promise<void> => {
  await withService(name, serviceAccess.all, (service, { api, fail }) => {
    if (!api.deleteService(service)) {
      fail(`remove the service ${name}`)
    }
  })
}
