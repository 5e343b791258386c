import { createPublicKey, verify, type KeyObject, type X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { announcedText, type Pin, type SignedAddresses } from '../../shared/server-identity.ts'
import type { Clock } from '../base/clock.ts'
import { fetchIdentity } from './fetch-identity.ts'
import { pinOf, textOfKey, type ProvedIdentity } from './identity-document.ts'
import { WrongTime, wrongIdentity } from './problems.ts'
import { followReleaseKeys } from './release.ts'
import { endOf, isAhead, isEnded } from './statement-time.ts'
import { openTls } from './tls-socket.ts'
import type { TrustedServer } from './trusted-server.ts'

const serverUse = '1.3.6.1.5.5.7.3.1'

const isIssuedBy = (certificate: X509Certificate, key: KeyObject) =>
  !certificate.ca && certificate.keyUsage?.includes(serverUse) === true && certificate.verify(key)

const isInTime = ({ validFrom, validTo }: X509Certificate, nowMs: number) =>
  Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo)

export interface ServerProofDependencies {
  trusted: TrustedServer
  clock: Pick<Clock, 'now'>
  /** Called with each statement that is newer than the last one. */
  onStatement?: (identity: ProvedIdentity) => void
}

/** Opens connections to one server, wherever it is, and to no other. */
export class ServerProof {
  readonly #deps: ServerProofDependencies
  #key: KeyObject | undefined
  #trusted: TrustedServer
  /** Of a connection whose peer was proved: only that peer can go on with it, and it does not show its certificate again. */
  #resumable: { session: Buffer; certificate: X509Certificate } | undefined
  #shownPin: Pin | undefined

  constructor(deps: ServerProofDependencies) {
    this.#deps = deps
    this.#trusted = deps.trusted
    const { key, pin } = deps.trusted
    const known =
      key === null ? undefined : createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })
    this.#key = known && pinOf(known) === pin ? known : undefined
  }

  get trusted(): TrustedServer {
    return this.#trusted
  }

  /** The key that the server showed last, once it had proved itself. */
  get shownPin(): Pin | undefined {
    return this.#shownPin
  }

  /** A connection to this server. Rejects with `WrongIdentity` or `WrongTime`, or with the reason why there is none. */
  async connect(origin: string, signal?: AbortSignal): Promise<TLSSocket> {
    const resumed = this.#resumable
    let session: Buffer | undefined
    let proved: X509Certificate | undefined
    const remember = () => {
      this.#resumable = session && proved ? { session, certificate: proved } : this.#resumable
    }
    const onSession = (given: Buffer) => {
      session = given
      remember()
    }
    const socket = await openTls(origin, { session: resumed?.session, onSession, signal })
    const certificate = socket.isSessionReused() ? resumed?.certificate : socket.getPeerX509Certificate()
    try {
      if (!certificate) {
        throw new Error(`${origin} shows no certificate.`)
      }
      await this.#check(origin, certificate, signal)
      signal?.throwIfAborted()
    } catch (error) {
      socket.destroy()
      if (certificate && certificate === resumed?.certificate && !signal?.aborted) {
        // The server may have another certificate by now: it is to show it.
        this.#resumable = undefined
        return await this.connect(origin, signal)
      }
      throw error
    }
    proved = certificate
    this.#shownPin = pinOf(certificate.publicKey)
    remember()
    return socket
  }

  /** Takes over what the server says of itself. Throws when it is not this server that says it. */
  learn(identity: ProvedIdentity): void {
    const { pin, authorityKey, statement } = identity
    if (pin !== this.#trusted.pin) {
      throw new Error('The identity document is that of another server.')
    }
    this.#key = authorityKey
    const nowMs = this.#deps.clock.now()
    if (!this.#isOlder(identity) && !isAhead(statement, nowMs) && !isEnded(statement, nowMs)) {
      this.#trusted = {
        pin,
        name: statement.name,
        key: textOfKey(authorityKey),
        serverPin: statement.serverPin,
        issuedAt: statement.issuedAt,
        expiresAt: statement.expiresAt ?? null,
        releaseKey: followReleaseKeys(this.#trusted.releaseKey ?? undefined, statement.releaseKeys) ?? null,
      }
      this.#deps.onStatement?.(identity)
    }
  }

  /** Whether this server has signed an announcement, and it counts now. */
  hasSigned(announced: SignedAddresses): boolean {
    const times = { issuedAt: announced.issued, expiresAt: announced.expires }
    const nowMs = this.#deps.clock.now()
    const signature = Buffer.from(announced.signature, 'base64')
    return (
      this.#key !== undefined &&
      !isAhead(times, nowMs) &&
      !isEnded(times, nowMs) &&
      verify('sha256', Buffer.from(announcedText(announced)), this.#key, signature)
    )
  }

  /** Whether a newer statement is known. A known one from the future was read while a clock was ahead and does not count. */
  #isOlder({ statement }: ProvedIdentity) {
    const { issuedAt } = this.#trusted
    return (
      issuedAt !== null &&
      !isAhead({ issuedAt }, this.#deps.clock.now()) &&
      Date.parse(statement.issuedAt) < Date.parse(issuedAt)
    )
  }

  async #check(origin: string, certificate: X509Certificate, signal: AbortSignal | undefined) {
    if (this.#isCertified(origin, certificate) || this.#isNamed(certificate)) {
      return
    }
    const { identity } = await fetchIdentity(origin, { signal })
    if (typeof identity !== 'string' && identity.pin === this.#trusted.pin) {
      this.learn(identity)
      if (this.#isCertified(origin, certificate) || this.#isNamed(certificate)) {
        return
      }
      this.#checkTime(origin, certificate, identity)
    }
    throw await wrongIdentity(origin, this.#trusted, { certificate, identity })
  }

  /** Throws when the statement would prove this certificate at another time. */
  #checkTime(origin: string, certificate: X509Certificate, identity: ProvedIdentity) {
    const { statement } = identity
    const nowMs = this.#deps.clock.now()
    const isForIt = statement.serverPin === pinOf(certificate.publicKey)
    if (isAhead(statement, nowMs) || (isForIt && !this.#isOlder(identity) && isEnded(statement, nowMs))) {
      const validTo = new Date(endOf(statement)).toISOString()
      throw new WrongTime(origin, 'identity document', { validFrom: statement.issuedAt, validTo }, nowMs)
    }
  }

  /** Whether our authority has issued it. Throws when it has, for another time. */
  #isCertified(origin: string, certificate: X509Certificate): boolean {
    if (!this.#key || !isIssuedBy(certificate, this.#key)) {
      return false
    }
    const nowMs = this.#deps.clock.now()
    if (!isInTime(certificate, nowMs)) {
      throw new WrongTime(origin, 'certificate', certificate, nowMs)
    }
    return true
  }

  /** Whether the newest statement is for its key, and has not ended. */
  #isNamed(certificate: X509Certificate): boolean {
    const { serverPin, issuedAt, expiresAt } = this.#trusted
    const nowMs = this.#deps.clock.now()
    return (
      serverPin === pinOf(certificate.publicKey) &&
      issuedAt !== null &&
      !isAhead({ issuedAt }, nowMs) &&
      !isEnded({ issuedAt, expiresAt }, nowMs)
    )
  }
}
