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
import type { PinnedServer } from './pinned-server.ts'

const serverUse = '1.3.6.1.5.5.7.3.1'

const isIssuedBy = (certificate: X509Certificate, key: KeyObject) =>
  !certificate.ca && certificate.keyUsage?.includes(serverUse) === true && certificate.verify(key)

const isInTime = ({ validFrom, validTo }: X509Certificate, nowMs: number) =>
  Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo)

export interface ServerProofDependencies {
  trusted: PinnedServer
  clock: Pick<Clock, 'now'>
  /** Called with each newer statement. */
  onStatement?: (identity: ProvedIdentity) => void
}

/** Opens connections to one server at any address, and rejects every other server. */
export class ServerProof {
  readonly #deps: ServerProofDependencies
  #key: KeyObject | undefined
  #trusted: PinnedServer
  /**
   * TLS session of an authenticated connection: only the same peer can resume the session, and sends no certificate
   * then.
   */
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

  get trusted(): PinnedServer {
    return this.#trusted
  }

  /** Pin of the key in the server's last authenticated certificate. */
  get shownPin(): Pin | undefined {
    return this.#shownPin
  }

  /** Connects to the server. Rejects with `WrongIdentity`, `WrongTime` or the reason why no connection is possible. */
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
        // Reconnect without resumption: the server may have a new certificate by now.
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

  /** Stores a newer statement. Throws if the statement is from another server. */
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

  /** Returns whether this server has signed an announcement that is valid now. */
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

  /**
   * Returns whether a newer statement is known. A known statement from the future was read while a clock was ahead, and
   * is ignored.
   */
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

  /** Throws if the statement would prove this certificate at another time. */
  #checkTime(origin: string, certificate: X509Certificate, identity: ProvedIdentity) {
    const { statement } = identity
    const nowMs = this.#deps.clock.now()
    const isForIt = statement.serverPin === pinOf(certificate.publicKey)
    if (isAhead(statement, nowMs) || (isForIt && !this.#isOlder(identity) && isEnded(statement, nowMs))) {
      const validTo = new Date(endOf(statement)).toISOString()
      throw new WrongTime(origin, 'identity document', { validFrom: statement.issuedAt, validTo }, nowMs)
    }
  }

  /**
   * Returns whether our authority has issued the certificate. Throws if the certificate is valid only at another time.
   */
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

  /** Returns whether the newest statement names the certificate's key and has not expired. */
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
