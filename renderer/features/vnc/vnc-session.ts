import type RFB from '@novnc/novnc'
import { deviceNotConnected } from '../../../shared/dtos/hub-result.ts'
import { viewer } from '../../api/hubs.ts'
import { newRelayTicket } from './relay-ticket.ts'
import { en as t } from '../../strings/en.ts'
import { boundedClient } from './bounded-client.ts'
import { guardedChannel } from './guarded-channel.ts'

export type CredentialName = 'username' | 'password' | 'target'
export type Credentials = Partial<Record<CredentialName, string>>

export type VncState =
  /** `lost` is over as soon as device and server can be reached again. */
  | { phase: 'off' | 'connecting' | 'open' | 'lost' }
  | { phase: 'credentials'; names: readonly CredentialName[]; problem?: string }
  | { phase: 'key'; fingerprint: string }
  | { phase: 'ended'; reason: string }

interface SessionOptions {
  deviceId: string
  /** Where the screen of the device is drawn. */
  place: HTMLElement
  onState: (state: VncState) => void
  /** What the VNC server calls its desktop; hostile text. */
  onDesktopName: (name: string) => void
  /** What somebody copied on the device; hostile text. */
  onClipboard: (text: string) => void
}

const maxNameLength = 80
const retryDelaysMs = [1_000, 2_000, 3_000, 5_000, 5_000]
/** Whoever closed a session in good order: an agent or a server that went away is known to be away within this time. */
const closingMs = 3_000
const normalClosure = 1000
const forbidden = 'Forbidden.'

const isCredential = (name: string): name is CredentialName => ['username', 'password', 'target'].includes(name)

/** Plain text of one line, whatever it was. */
export const shortText = (text: string, length: number) =>
  text.slice(0, length).replaceAll(/\p{C}/gu, ' ').trim().toWellFormed()

async function fingerprintOf(key: Uint8Array<ArrayBuffer>) {
  // Only secure origins have it; on others nothing proves to whom one speaks anyway.
  const digest = await crypto.subtle?.digest('SHA-256', key)
  const bytes = digest ? new Uint8Array(digest) : new Uint8Array()
  return Array.from(bytes.slice(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('-')
}

/** One VNC session on one device, through every loss that can be survived, until `disconnect`. */
export function createVncSession({ deviceId, place, onState, onDesktopName, onClipboard }: SessionOptions) {
  let state: VncState = { phase: 'off' }
  let port = 5900
  /** Kept for connecting again while the person stays; nothing else holds them. */
  let credentials: Credentials = {}
  let askedFor: readonly CredentialName[] = []
  let rfb: RFB | undefined
  /** Counts the attempts: what an older one still tells is of no interest. */
  let attempt = 0
  let failures = 0
  /** The session was on screen: what breaks it is worth another try. */
  let wasOpen = false
  let isReachable = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const enter = (next: VncState) => {
    state = next
    onState(next)
  }

  const letGo = () => {
    attempt++
    clearTimeout(timer)
    rfb?.disconnect()
    rfb = undefined
  }

  const end = (reason: string) => {
    letGo()
    credentials = {}
    wasOpen = false
    enter({ phase: 'ended', reason })
  }

  const retryLater = () => {
    enter({ phase: 'lost' })
    clearTimeout(timer)
    if (isReachable) {
      const delayMs = retryDelaysMs[failures++]
      if (delayMs === undefined) {
        end(t.vnc.serverGone)
      } else {
        timer = setTimeout(() => void open(), delayMs)
      }
    }
  }

  function handleRefused(reason: string | null) {
    if (reason === forbidden) {
      end(t.vnc.forbidden)
    } else if (wasOpen) {
      retryLater()
    } else {
      end(reason === deviceNotConnected || reason === null ? t.vnc.deviceAway : t.vnc.refused(shortText(reason, 300)))
    }
  }

  /** `problem` is what the VNC server or the handshake complained of. */
  function handleClosed(code: number, problem: string | undefined) {
    if (problem !== undefined) {
      end(problem)
    } else if (!wasOpen) {
      end(t.vnc.noAnswer)
    } else if (code === normalClosure && isReachable) {
      enter({ phase: 'lost' })
      timer = setTimeout(() => end(t.vnc.closed), closingMs)
    } else {
      retryLater()
    }
  }

  function listen(client: RFB, mine: number) {
    const isMine = () => mine === attempt
    // It complains of being told to go twice.
    client.addEventListener('disconnect', () => (rfb = rfb === client ? undefined : rfb))
    client.addEventListener('connect', () => {
      if (isMine()) {
        failures = 0
        wasOpen = true
        enter({ phase: 'open' })
      }
    })
    client.addEventListener('credentialsrequired', ({ detail }) => {
      if (isMine()) {
        askedFor = detail.types.filter(isCredential)
        enter({ phase: 'credentials', names: askedFor })
      }
    })
    client.addEventListener('serververification', ({ detail }: CustomEvent<{ publickey: Uint8Array<ArrayBuffer> }>) => {
      void fingerprintOf(detail.publickey).then((fingerprint) => {
        if (isMine()) {
          enter({ phase: 'key', fingerprint })
        }
      })
    })
    client.addEventListener('securityfailure', ({ detail }) => {
      if (isMine()) {
        // The connection is over with it; the next one begins with what the person enters now.
        letGo()
        credentials = {}
        const reason = shortText(detail.reason ?? '', 200)
        enter({
          phase: 'credentials',
          names: askedFor.length > 0 ? askedFor : ['password'],
          problem: t.vnc.notAccepted(reason),
        })
      }
    })
    client.addEventListener(
      'desktopname',
      ({ detail }) => isMine() && onDesktopName(shortText(detail.name, maxNameLength)),
    )
    client.addEventListener('clipboard', ({ detail }) => isMine() && onClipboard(detail.text))
  }

  async function open() {
    letGo()
    const mine = attempt
    if (!wasOpen) {
      enter({ phase: 'connecting' })
    }
    const { sessionId, requester, responder } = newRelayTicket()
    try {
      const [{ default: Client }, answer] = await Promise.all([
        import('@novnc/novnc'),
        viewer.RequestVncSession2({ deviceId, sessionId, websocketUri: responder, port }),
      ])
      if (mine !== attempt) {
        return
      }
      if (!answer.isSuccess) {
        handleRefused(answer.reason)
        return
      }
      let problem: string | undefined
      const onBroken = () => (problem ??= t.vnc.broken)
      const channel = guardedChannel(requester, {
        onBroken,
        // After noVNC has heard of it, for that may know why.
        onClosed: (code) => setTimeout(() => mine === attempt && handleClosed(code, problem)),
      })
      const watch = { onTooMuch: () => (problem ??= t.vnc.tooMuch), onBroken }
      rfb = boundedClient(Client, watch, place, channel, { shared: true, credentials })
      listen(rfb, mine)
    } catch {
      // The channel to the server broke, or noVNC could not be loaded.
      if (mine === attempt) {
        handleRefused(null)
      }
    }
  }

  return {
    /** The client while there is a screen; its settings may be changed. */
    client: () => (state.phase === 'open' ? rfb : undefined),
    connect(toPort: number) {
      port = toPort
      failures = 0
      void open()
    },
    submit(given: Credentials) {
      credentials = given
      if (rfb) {
        enter({ phase: 'connecting' })
        rfb.sendCredentials(given)
      } else {
        void open()
      }
    },
    approveKey() {
      enter({ phase: 'connecting' })
      rfb?.approveServer()
    },
    /** Tells whether server and device can be reached; a session that was lost comes back by itself. */
    setReachable(isNow: boolean) {
      const wasReachable = isReachable
      isReachable = isNow
      if (state.phase === 'lost' && isNow && !wasReachable) {
        failures = 0
        retryLater()
      } else if (state.phase === 'lost' && !isNow) {
        clearTimeout(timer)
      }
    },
    /** Ends the session, and forgets who was signed in. */
    disconnect() {
      letGo()
      credentials = {}
      wasOpen = false
      failures = 0
      enter({ phase: 'off' })
    },
    /** The same when the page is left: nobody listens any more. */
    stop() {
      letGo()
      credentials = {}
    },
  }
}

export type VncSession = ReturnType<typeof createVncSession>
