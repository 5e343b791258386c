import { deferred } from '../../../shared/deferred.ts'
import type { Clock } from '../../base/clock.ts'
import { reasonOf } from '../../base/errors.ts'
import type { Desktop } from '../../platform/desktop/desktop.ts'
import type { SessionEnd, SessionRequest } from './request.ts'
import type { ControlHolders } from './control-holders.ts'
import type { InputPause } from './input-pause.ts'
import { RunningSession } from './running-session.ts'
import type { SessionNotice } from './session-notice.ts'
import { openSocket } from './socket.ts'

/**
 * Runs one viewer's session. Resolves when the session has ended, and never rejects. The session owns the desktop and
 * closes it at the end.
 */
export function runRemoteControl({
  desktop,
  request,
  clock,
  notice,
  holders,
  pause,
  onHeard = () => undefined,
}: {
  desktop: Desktop
  request: SessionRequest
  clock: Clock
  /** Notice shared by all sessions of this desktop. */
  notice: SessionNotice
  /** Shared by all sessions of this desktop. */
  holders: ControlHolders
  /** Shared by all sessions of this desktop. */
  pause: InputPause
  /** Called when the viewer begins to hear the device. */
  onHeard?: () => void
}): Promise<SessionEnd> {
  const { promise, resolve } = deferred<SessionEnd>()
  const connecting = new AbortController()
  const finish = (end: SessionEnd) => {
    if (!connecting.signal.aborted) {
      connecting.abort()
      desktop.close()
      resolve(end)
    }
  }
  desktop.onEnd = (reason) => finish({ by: 'desktop', reason })
  openSocket(request, clock, connecting.signal).then(
    (socket) => new RunningSession({ desktop, request, clock, socket, notice, holders, pause, onHeard, finish }),
    (error: unknown) => finish({ by: 'connection', reason: `The session could not be connected: ${reasonOf(error)}.` }),
  )
  return promise
}
