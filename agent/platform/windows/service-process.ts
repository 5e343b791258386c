/** This process as the service of the agent. */
import type { StopReason } from '../../../shared/dtos/device-commands.ts'
import { answerServiceManager as answer } from '../../../shared/windows/service-process.ts'
import { common } from './library.ts'

/** Covers the notice to the server and the telemetry that is still queued. */
const stopHintMs = 10_000

let requested: StopReason | undefined
const sessionListeners = new Set<() => void>()

/** Why Windows stops this process. */
export const stopReason = async (): Promise<StopReason> => requested ?? 'Stopped'

/** Calls `listener` when somebody signs in or out, locks or unlocks. Returns a function that ends this. */
export function onSessionChange(listener: () => void): () => void {
  sessionListeners.add(listener)
  return () => void sessionListeners.delete(listener)
}

/** Resolves with whether this process is a service. */
export const answerServiceManager = async (): Promise<boolean> =>
  answer((await common()).koffi, {
    stopHintMs,
    onStop: (reason) => void (requested = reason),
    onSessionChange: () => sessionListeners.forEach((listener) => listener()),
  })
