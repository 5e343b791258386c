import type RFB from '@novnc/novnc'
import { deviceNotConnected } from '../../../shared/dtos/hub-result.ts'
import { viewer } from '../../api/hubs.ts'
import * as t from '../../texts.ts'
import { followReachability } from '../viewer-kit/reachability.ts'
import { newRelayTicket } from '../viewer-kit/relay-ticket.ts'
import { SessionLifecycle } from '../viewer-kit/session-lifecycle.ts'
import type { EndCause, SessionState } from '../viewer-kit/session-state.ts'
import { Store } from '../viewer-kit/store.ts'
import type { ViewerSession } from '../viewer-kit/use-viewer-session.ts'
import { boundedClient } from './bounded-client.ts'
import { guardedChannel } from './guarded-channel.ts'

export type CredentialName = 'username' | 'password' | 'target'
export type Credentials = Partial<Record<CredentialName, string>>

export type VncQuestion =
  | { kind: 'credentials'; names: readonly CredentialName[]; problem?: string }
  | { kind: 'key'; fingerprint: string }

export interface VncState {
  session: SessionState<VncQuestion>
  /** noVNC client while the session is open. */
  client: RFB | undefined
  /** Sent by the VNC server: untrusted. */
  desktopName: string
}

interface SessionOptions {
  deviceId: string
  /** Element that noVNC draws into. */
  place: HTMLElement
  /** Receives text copied on the device: untrusted. */
  onClipboard: (text: string) => void
}

const maxNameLength = 80
const retryDelaysMs = [1_000, 2_000, 3_000, 5_000, 5_000]
/** Time in which the server reports an agent as offline; a normal closure within it may be the agent's shutdown. */
const offlineReportMs = 3_000
/** Time in which a VNC server has to ask something or show its screen. */
const answerMs = 30_000
const normalClosure = 1000
const forbidden = 'Forbidden.'

const isCredential = (name: string): name is CredentialName => ['username', 'password', 'target'].includes(name)

/** Converts text to one plain line. */
export const shortText = (text: string, length: number) =>
  text.slice(0, length).replaceAll(/\p{C}/gu, ' ').trim().toWellFormed()

async function fingerprintOf(key: Uint8Array<ArrayBuffer>) {
  // Insecure origins have no digest; the page itself could be forged there anyway.
  const digest = await crypto.subtle?.digest('SHA-256', key)
  const bytes = digest ? new Uint8Array(digest) : new Uint8Array()
  return Array.from(bytes.slice(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('-')
}

/** VNC session with one device. Reconnects after a lost connection until `disconnect`. */
export class VncSession implements ViewerSession<VncState> {
  readonly store = new Store<VncState>({ session: { phase: 'idle' }, client: undefined, desktopName: '' })
  readonly #options: SessionOptions
  readonly #lifecycle = new SessionLifecycle<VncQuestion>({
    onState: (session) => {
      if (session.phase === 'ended') {
        this.#forget()
      }
      this.store.update({ session, client: session.phase === 'open' ? this.#client : undefined })
    },
    reconnect: () => void this.#open(),
    retryDelaysMs,
    exhausted: t.vnc.serverGone,
  })
  readonly #reachability = followReachability((isReachable) => this.#lifecycle.setReachable(isReachable))
  #port = 5900
  /** Used to reconnect; cleared at the end of the session. */
  #credentials: Credentials = {}
  #credentialNames: readonly CredentialName[] = []
  #client: RFB | undefined
  /** Whether the session was open: only then a lost connection is retried. */
  #wasOpen = false

  constructor(options: SessionOptions) {
    this.#options = options
  }

  connect(port: number): void {
    this.#port = port
    void this.#open()
  }

  submit(credentials: Credentials): void {
    this.#credentials = credentials
    if (this.#client) {
      this.#enterConnecting()
      this.#client.sendCredentials(credentials)
    } else {
      void this.#open()
    }
  }

  approveKey(): void {
    this.#enterConnecting()
    this.#client?.approveServer()
  }

  setDeviceOnline(isOnline: boolean): void {
    this.#reachability.setDeviceOnline(isOnline)
  }

  /** Ends the session and clears its credentials. */
  disconnect(): void {
    this.#closeClient()
    this.#forget()
    this.#lifecycle.enter({ phase: 'idle' })
    this.store.update({ desktopName: '' })
  }

  stop(): void {
    this.#closeClient()
    this.#forget()
    this.#reachability.stop()
  }

  #closeClient() {
    const isCurrent = this.#lifecycle.begin()
    this.#client?.disconnect()
    this.#client = undefined
    return isCurrent
  }

  #forget() {
    this.#credentials = {}
    this.#wasOpen = false
  }

  #end(cause: EndCause, reason: string) {
    this.#closeClient()
    this.#lifecycle.end(cause, reason)
  }

  async #open() {
    const isCurrent = this.#closeClient()
    if (!this.#wasOpen) {
      this.#enterConnecting()
    }
    const { sessionId, requester, responder } = newRelayTicket()
    const { deviceId, place } = this.#options
    try {
      const [{ default: Client }, answer] = await Promise.all([
        import('@novnc/novnc'),
        viewer.RequestVncSession2({ deviceId, sessionId, websocketUri: responder, port: this.#port }),
      ])
      if (!isCurrent()) {
        return
      }
      if (!answer.isSuccess) {
        this.#handleRejected(answer.reason)
        return
      }
      let problem: string | undefined
      const onBroken = () => (problem ??= t.vnc.broken)
      const channel = guardedChannel(requester, {
        onBroken,
        // The unread answers keep the socket from closing.
        onUnread: () => setTimeout(() => isCurrent() && this.#end('failure', t.vnc.unread)),
        // Deferred until noVNC has handled the closure, since it may report the reason.
        onClosed: (code) => setTimeout(() => isCurrent() && this.#handleClosed(code, problem)),
      })
      const watch = { onTooMuch: () => (problem ??= t.vnc.tooMuch), onBroken }
      this.#client = boundedClient(Client, watch, place, channel, { shared: true, credentials: this.#credentials })
      this.#listen(this.#client, isCurrent)
    } catch {
      // The live channel is lost, or noVNC could not be loaded.
      if (isCurrent()) {
        this.#handleRejected(null)
      }
    }
  }

  /** Ends the attempt at a time limit: a VNC server that sends a byte now and then would keep it open forever. */
  #enterConnecting() {
    const state = { phase: 'connecting' } as const
    this.#lifecycle.enter(state)
    setTimeout(() => this.#lifecycle.state === state && this.#end('failure', t.vnc.noAnswer), answerMs)
  }

  #handleRejected(reason: string | null) {
    if (reason === forbidden) {
      this.#end('server', t.vnc.forbidden)
    } else if (this.#wasOpen) {
      this.#lifecycle.retryLater()
    } else {
      const isAway = reason === deviceNotConnected || reason === null
      this.#end('failure', isAway ? t.vnc.deviceAway : t.vnc.refused(shortText(reason, 300)))
    }
  }

  #handleClosed(code: number, problem: string | undefined) {
    if (problem !== undefined) {
      this.#end('failure', problem)
    } else if (!this.#wasOpen) {
      this.#end('failure', t.vnc.noAnswer)
    } else if (code === normalClosure && this.#lifecycle.isReachable) {
      this.#lifecycle.endAfter(offlineReportMs, 'device', t.vnc.closed)
    } else {
      this.#lifecycle.retryLater()
    }
  }

  #ask(question: VncQuestion) {
    this.#lifecycle.enter({ phase: 'asking', question })
  }

  #listen(client: RFB, isCurrent: () => boolean) {
    // noVNC logs an error when disconnected twice.
    client.addEventListener('disconnect', () => (this.#client = this.#client === client ? undefined : this.#client))
    client.addEventListener('connect', () => {
      if (isCurrent()) {
        this.#wasOpen = true
        this.#lifecycle.enter({ phase: 'open' })
      }
    })
    client.addEventListener('credentialsrequired', ({ detail }) => {
      if (isCurrent()) {
        this.#credentialNames = detail.types.filter(isCredential)
        this.#ask({ kind: 'credentials', names: this.#credentialNames })
      }
    })
    client.addEventListener('serververification', ({ detail }: CustomEvent<{ publickey: Uint8Array<ArrayBuffer> }>) => {
      void fingerprintOf(detail.publickey).then((fingerprint) => isCurrent() && this.#ask({ kind: 'key', fingerprint }))
    })
    client.addEventListener('securityfailure', ({ detail }) => {
      if (isCurrent()) {
        // The VNC server closes the connection too; the next one sends the credentials entered now.
        this.#closeClient()
        this.#credentials = {}
        const names: readonly CredentialName[] = this.#credentialNames.length > 0 ? this.#credentialNames : ['password']
        this.#ask({ kind: 'credentials', names, problem: t.vnc.notAccepted(shortText(detail.reason ?? '', 200)) })
      }
    })
    client.addEventListener(
      'desktopname',
      ({ detail }) => isCurrent() && this.store.update({ desktopName: shortText(detail.name, maxNameLength) }),
    )
    client.addEventListener('clipboard', ({ detail }) => isCurrent() && this.#options.onClipboard(detail.text))
  }
}
