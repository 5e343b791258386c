/** This process as a service: answers the service control manager of Windows. */
import type { Handle, Koffi } from './calls.ts'
import { acceptedControl, longestStopMs, ownProcess, serviceControl, serviceState, winsvc } from './winsvc.ts'

export interface ServiceListeners {
  /** Time within which a stop that lasts longer reports that it goes on. */
  stopHintMs: number
  onStop?: (reason: 'Stopped' | 'Shutdown') => void
  /** Called when somebody signs in or out, locks or unlocks. */
  onSessionChange?: () => void
}

const { stopped, stopPending, running } = serviceState
const specificError = 1066
const handled = 0
const notImplemented = 120

const reasons: Readonly<Record<number, 'Stopped' | 'Shutdown'>> = {
  [serviceControl.stop]: 'Stopped',
  [serviceControl.shutdown]: 'Shutdown',
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
 * again. Resolves with whether this process is a service; the process of a service ends by `process.exit` alone.
 */
export function answerServiceManager(
  koffi: Koffi,
  { stopHintMs, onStop, onSessionChange }: ServiceListeners,
): Promise<boolean> {
  const api = winsvc(koffi)
  const accepted =
    acceptedControl.stop | acceptedControl.shutdown | (onSessionChange ? acceptedControl.sessionChange : 0)
  let isStopping = false
  let checkpoint = 0
  let service: Handle = 0
  const report = (state: number, error = 0) =>
    api.setServiceStatus(service, {
      type: ownProcess,
      state,
      accepted: state === running ? accepted : 0,
      exitCode: error === 0 ? 0 : specificError,
      specificExitCode: error,
      checkpoint: state === stopPending ? ++checkpoint : 0,
      waitHintMs: state === stopPending ? stopHintMs : 0,
    })
  const handle = (control: number) => {
    const reason = reasons[control]
    const isSessionChange = control === serviceControl.sessionChange && onSessionChange !== undefined
    if (reason !== undefined) {
      report(stopPending)
      if (!isStopping) {
        isStopping = true
        onStop?.(reason)
        setImmediate(requestStop)
        setInterval(() => report(stopPending), stopHintMs / 3)
        // Windows waits as long as the reports go on, also for a stop that hangs.
        setTimeout(() => process.exit(1), longestStopMs)
      }
    } else if (isSessionChange) {
      setImmediate(onSessionChange)
    }
    return reason !== undefined || isSessionChange || control === serviceControl.interrogate ? handled : notImplemented
  }
  return new Promise((resolve) => {
    const main = api.asServiceMain((_count, args) => {
      // The first argument is the name of the service.
      service = api.registerServiceCtrlHandlerEx(koffi.decode(args, 'str16') as string, api.asHandler(handle), null)
      process.once('exit', (code) => {
        // Windows starts a service that ended by itself again, even one that ended in order.
        report(stopped, isStopping ? 0 : code || 1)
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
  })
}
