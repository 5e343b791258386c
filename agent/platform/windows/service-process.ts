/** This process as a service: answers the service control manager of Windows. */
import { deferred } from '../../../shared/deferred.ts'
import type { StopReason } from '../../../shared/dtos/device-commands.ts'
import { common, type Handle } from './library.ts'
import { acceptedControl, ownProcess, serviceControl, serviceState, winsvc } from './win32/winsvc.ts'

const { stopped, stopPending, running } = serviceState
const accepted = acceptedControl.stop | acceptedControl.shutdown | acceptedControl.sessionChange
/** Covers the notice to the server and the telemetry that is still queued. */
const stopHintMs = 10_000
const specificError = 1066
const handled = 0
const notImplemented = 120

const reasons: Readonly<Record<number, StopReason>> = {
  [serviceControl.stop]: 'Stopped',
  [serviceControl.shutdown]: 'Shutdown',
}

let requested: StopReason | undefined
const sessionListeners = new Set<() => void>()

/** Why Windows stops this process. */
export const stopReason = async (): Promise<StopReason> => requested ?? 'Stopped'

/** Calls `listener` when somebody signs in or out, locks or unlocks. Returns a function that ends this. */
export function onSessionChange(listener: () => void): () => void {
  sessionListeners.add(listener)
  return () => void sessionListeners.delete(listener)
}

/** Ends this process in order: whoever serves listens for the signal, as on other systems. */
function requestStop() {
  if (!process.emit('SIGTERM', 'SIGTERM')) {
    process.exit(0)
  }
}

/**
 * Connects to the service control manager if it has started this process, and reports the service as running until the
 * process ends. An end that Windows did not request is reported as a failure, after which Windows starts the service
 * again. Resolves with whether this process is a service.
 */
export async function answerServiceManager(): Promise<boolean> {
  const [{ koffi }, api] = await Promise.all([common(), winsvc()])
  const { promise: isService, resolve } = deferred<boolean>()
  let service: Handle = 0
  const report = (state: number, error = 0) =>
    api.setServiceStatus(service, {
      type: ownProcess,
      state,
      accepted: state === running ? accepted : 0,
      exitCode: error === 0 ? 0 : specificError,
      specificExitCode: error,
      checkpoint: 0,
      waitHintMs: state === stopPending ? stopHintMs : 0,
    })
  const handle = (control: number) => {
    const reason = reasons[control]
    if (reason !== undefined) {
      report(stopPending)
      if (requested === undefined) {
        requested = reason
        setImmediate(requestStop)
      }
    } else if (control === serviceControl.sessionChange) {
      setImmediate(() => sessionListeners.forEach((listener) => listener()))
    }
    return reason !== undefined || control === serviceControl.sessionChange || control === serviceControl.interrogate
      ? handled
      : notImplemented
  }
  const main = api.asServiceMain((_count, args) => {
    // The first argument is the name of the service.
    service = api.registerServiceCtrlHandlerEx(koffi.decode(args, 'str16') as string, api.asHandler(handle), null)
    process.once('exit', (code) => {
      // Windows starts an agent that ended by itself again, even one that ended in order.
      report(stopped, requested === undefined ? code || 1 : 0)
    })
    report(running)
    resolve(true)
  })
  // The call lasts as long as the service, on a thread of libuv's pool. It fails at once in a process of anybody else.
  api.startServiceCtrlDispatcher.async(
    [
      { name: '', main },
      { name: null, main: null },
    ],
    () => resolve(false),
  )
  return await isService
}
