import type { SessionPolicy } from '../../../shared/remote-control/policy.ts'
import type { Clock } from '../../clock.ts'
import { reasonOf } from '../../errors.ts'
import type { Desktop } from '../desktop.ts'
import type { SessionEnd, SessionRequest } from './request.ts'
import { RunningSession } from './running-session.ts'
import { openSocket } from './socket.ts'

export interface SessionPorts {
  clock: Clock
  /** Asks the person at the device; called before anything is connected. */
  askConsent: () => Promise<boolean>
}

export interface RemoteControlSession {
  /** Resolves when all is over; never rejects. */
  ended: Promise<SessionEnd>
  setPolicy(policy: SessionPolicy): void
  /** Ends it from this side; the viewer is shown the reason. */
  end(reason: string): void
}

/** Shows the desktop to one viewer, who works on it. The desktop belongs to the session, which closes it at its end. */
export function startRemoteControl(start: {
  desktop: Desktop
  request: SessionRequest
  ports: SessionPorts
}): RemoteControlSession {
  const { desktop, request, ports } = start
  let resolve: (end: SessionEnd) => void = () => {}
  const ended = new Promise<SessionEnd>((settle) => (resolve = settle))
  let { policy } = request
  let running: RunningSession | undefined
  const connecting = new AbortController()

  const finish = (end: SessionEnd) => {
    if (!connecting.signal.aborted) {
      connecting.abort()
      desktop.close()
      resolve(end)
    }
  }

  const connect = async () => {
    if (request.requireConsent && !(await ports.askConsent())) {
      finish({ by: 'person', reason: 'The person at the device did not agree.' })
      return
    }
    const socket = await openSocket(request.websocketUri, ports.clock, connecting.signal)
    running = new RunningSession({ desktop, request: { ...request, policy }, clock: ports.clock, socket, finish })
  }

  desktop.onEnd = (reason) => finish({ by: 'desktop', reason })
  connect().catch((error: unknown) => {
    finish({ by: 'connection', reason: `The session could not be connected: ${reasonOf(error)}.` })
  })
  return {
    ended,
    setPolicy(changed) {
      policy = changed
      running?.setPolicy(changed)
    },
    end(reason) {
      if (running) {
        running.end('server', reason)
      } else {
        finish({ by: 'server', reason })
      }
    },
  }
}
