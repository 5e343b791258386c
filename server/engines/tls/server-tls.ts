import { Mutex } from '../../../shared/mutex.ts'
import { X509Certificate, type KeyObject } from 'node:crypto'
import type { SecureContextOptions } from 'node:tls'
import type { NamedReleaseKey } from '../../../shared/agent-release.ts'
import type { Pin, ServerIdentityDto, SignedAddresses } from '../../../shared/server-identity.ts'
import type { Cancel, Clock } from '../../ground/clock.ts'
import type { Log } from '../../ground/log.ts'
import type { Authority } from './certificates.ts'
import { FreshStatements } from './fresh-statements.ts'
import { newKey, pinOf, readKey } from './keys.ts'
import { isPublicName, namesOf, normalName } from './certificate-names.ts'
import { outOfTime, readCustom, stateOf, type CustomCertificate, type CustomSource } from './custom-certificate.ts'
import { isAuthorityDue, isDue, isValidAt } from './validity.ts'

export type { CustomSource } from './custom-certificate.ts'

/** Persistent identity. Keys in PKCS #8, DER; certificates in PEM. */
export interface StoredIdentity {
  authorityKey: Buffer
  authorityCertificate: string
  leafKey: Buffer
  leafCertificate: string
}

/** Storage of the identity; `save` replaces all of it atomically. */
export interface IdentityStore {
  load(): Promise<StoredIdentity | undefined>
  save(identity: StoredIdentity): Promise<void>
}

export interface ServerTlsDependencies {
  clock: Clock
  log: Log
  store: IdentityStore
  /** Names and addresses included in every issued certificate. */
  names: readonly string[]
}

/** The certificate served to clients. */
export interface ServedCertificate {
  /** Issuer: our authority, or a custom certificate from the configuration. */
  source: 'authority' | 'own'
  names: string[]
  /** Milliseconds since 1970. */
  notBefore: number
  notAfter: number
  /** Why the custom certificate, or its newest version, is not served; null without a problem. */
  problem: string | null
}

const checkMs = 5_000
/** Delay after a failed renewal. */
const retryMs = 10 * 60_000
const maxNames = 100

/** Loaded on first use: most starts issue no certificate. */
const issuing = () => import('./certificates.ts')

const derOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'der' })

/** Normalizes names and addresses, without duplicates and invalid names. */
const distinct = (names: readonly string[]) => [...new Set(names.map(normalName).filter((name) => name !== undefined))]

/**
 * The TLS identity of this server: an authority whose key never changes, and the served certificate, which is issued by
 * that authority or custom. Issued certificates are renewed automatically.
 */
export class ServerTls {
  readonly #clock: Clock
  readonly #log: Log
  readonly #store: IdentityStore
  readonly #leafKey: KeyObject
  readonly #cancels: Cancel[] = []
  readonly #listeners = new Set<() => void>()
  #authority: Authority
  #leaf: X509Certificate
  readonly #machineNames: readonly string[]
  /** Further names for issued certificates, by requester. */
  readonly #requested = new Map<string, readonly string[]>()
  /** All names of issued certificates. */
  #names: readonly string[]
  readonly #changes = new Mutex()
  #retryAt = -Infinity
  #customFiles: CustomSource | undefined
  #customState = ''
  #seenState = ''
  #custom: CustomCertificate | undefined
  #customProblem: string | null = null
  #isCustomServed = false
  readonly #statements: FreshStatements

  private constructor(
    { clock, log, store, names }: ServerTlsDependencies,
    { authority, leafKey, leaf }: { authority: Authority; leafKey: KeyObject; leaf: X509Certificate },
  ) {
    this.#clock = clock
    this.#statements = new FreshStatements(clock)
    this.#log = log
    this.#store = store
    this.#authority = authority
    this.#leafKey = leafKey
    this.#leaf = leaf
    this.#machineNames = distinct(names)
    this.#names = this.#machineNames
    this.#cancels.push(clock.every(checkMs, () => void this.#changes.run(() => this.#check())))
  }

  /** Loads or creates the identity of this server, and renews expired certificates. */
  static async open(deps: ServerTlsDependencies): Promise<ServerTls> {
    const now = deps.clock.now()
    const stored = await deps.store.load()
    if (stored) {
      const authority = {
        key: readKey(stored.authorityKey),
        certificate: new X509Certificate(stored.authorityCertificate),
      }
      const leaf = new X509Certificate(stored.leafCertificate)
      const tls = new ServerTls(deps, { authority, leafKey: readKey(stored.leafKey), leaf })
      await tls.serve([], 'start')
      return tls
    }
    const [authorityKey, leafKey] = await Promise.all([newKey(), newKey()])
    const { makeAuthority, makeLeaf } = await issuing()
    const authority = await makeAuthority(authorityKey, now)
    const leaf = await makeLeaf(authority, leafKey, distinct(deps.names), now)
    const tls = new ServerTls(deps, { authority, leafKey, leaf })
    await tls.#save(authority, leaf)
    return tls
  }

  get authorityPem(): string {
    return this.#authority.certificate.toString()
  }

  get authorityPin(): Pin {
    return pinOf(this.#authority.key)
  }

  /** Pin of the served certificate's key. */
  serverPin(): Pin {
    return this.#isCustomServed && this.#custom ? pinOf(this.#custom.certificate.publicKey) : pinOf(this.#leafKey)
  }

  /** True if a certificate has the served key, whoever issued it. Throws for an invalid certificate. */
  isOver(pem: string): boolean {
    return pinOf(new X509Certificate(pem).publicKey) === this.serverPin()
  }

  certificate(): ServedCertificate {
    const served = this.#isCustomServed && this.#custom ? this.#custom.certificate : this.#leaf
    return {
      source: this.#isCustomServed ? 'own' : 'authority',
      names: namesOf(served),
      notBefore: served.validFromDate.getTime(),
      notAfter: served.validToDate.getTime(),
      problem: this.#customProblem,
    }
  }

  /** Names of issued certificates: the same array until they change. */
  get names(): readonly string[] {
    return this.#names
  }

  /**
   * True if the served certificate is a custom certificate for this public name: only then may browsers insist on TLS.
   */
  isCertifiedElsewhere(name: string): boolean {
    const served = this.#isCustomServed ? this.#custom?.certificate : undefined
    const isSelfSigned = served?.checkIssued(served) === true
    return served !== undefined && !isSelfSigned && isPublicName(name) && served.checkHost(name) !== undefined
  }

  /** Options for a TLS server with the served certificate. */
  context(): SecureContextOptions {
    if (this.#isCustomServed && this.#custom) {
      return this.#custom.context
    }
    const key = this.#leafKey.export({ type: 'pkcs8', format: 'pem' })
    // Without the authority's certificate: every client that trusts the authority has it already.
    return { cert: this.#leaf.toString(), key }
  }

  /**
   * Adds names to issued certificates, and removes names that `requester` requested before; resolves when the certificate
   * is renewed. Invalid names are left out.
   */
  serve(names: readonly string[], requester: string): Promise<void> {
    return this.#changes.run(async () => {
      this.#requested.set(requester, distinct(names))
      const before = this.#names
      const all = [...new Set([...this.#machineNames, ...[...this.#requested.values()].flat()])].slice(0, maxNames)
      const isSame = all.length === before.length && all.every((name) => before.includes(name))
      this.#names = isSame ? before : all
      const covered = namesOf(this.#leaf)
      const lacks = all.some((name) => !covered.includes(name))
      const isTooWide = before.some((name) => !all.includes(name) && covered.includes(name))
      await this.#renew(lacks || isTooWide)
    })
  }

  /** Signs the statement of this server with its name, addresses and release keys. */
  statement(addresses: readonly string[], name: string, releaseKeys?: readonly NamedReleaseKey[]): ServerIdentityDto {
    const described = { serverPin: this.serverPin(), name, addresses, ...(releaseKeys && { releaseKeys }) }
    return this.#statements.statement(this.#authority, described)
  }

  /** Signs the addresses alone, short enough for an announcement. */
  signedAddresses(addresses: readonly string[]): SignedAddresses {
    return this.#statements.addresses(this.#authority, addresses)
  }

  /**
   * Serves a custom certificate from files, whose changes are followed, or from memory; serves the issued certificate
   * if undefined. Resolves with the problem, or null. A problem does not change the served certificate.
   */
  useCustom(files: CustomSource | undefined): Promise<string | null> {
    return this.#changes.run(async () => {
      this.#customFiles = files
      if (!files) {
        this.#custom = undefined
        this.#customProblem = null
        this.#switchTo(false)
        return null
      }
      this.#customState = this.#seenState = await stateOf(files)
      await this.#readCustom(files)
      return this.#customProblem
    })
  }

  /** Calls `listener` whenever the served certificate changes. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Stops renewals and file checks, and waits for pending work. */
  async close(): Promise<void> {
    this.#cancels.forEach((cancel) => cancel())
    await this.#changes.idle()
  }

  async #check(): Promise<void> {
    if (this.#clock.monotonic() >= this.#retryAt) {
      try {
        // Names that no one requested since the start belong to networks that are no longer served.
        const isTooWide = namesOf(this.#leaf).some((name) => !this.#names.includes(name))
        await this.#renew(isTooWide)
      } catch (error) {
        this.#retryAt = this.#clock.monotonic() + retryMs
        this.#log.error({ err: error }, 'The certificate of this server could not be renewed.')
      }
    }
    if (this.#customFiles) {
      await this.#followCustom(this.#customFiles)
    }
  }

  /** Renews expired certificates, and the leaf if its names changed. */
  async #renew(hasOtherNames: boolean): Promise<void> {
    const now = this.#clock.now()
    const isAuthorityOld = isAuthorityDue(this.#authority.certificate, now)
    if (!hasOtherNames && !isAuthorityOld && !isDue(this.#leaf, now)) {
      return
    }
    const { makeAuthority, makeLeaf } = await issuing()
    const authority = isAuthorityOld ? await makeAuthority(this.#authority.key, now) : this.#authority
    const leaf = await makeLeaf(authority, this.#leafKey, this.#names, now)
    // Save first: an unsaved certificate would be lost at the next start.
    await this.#save(authority, leaf)
    this.#authority = authority
    this.#leaf = leaf
    this.#log.info({ until: leaf.validToDate.toISOString() }, 'Issued a certificate for this server.')
    if (!this.#isCustomServed) {
      this.#notify()
    }
  }

  #save({ key, certificate }: Authority, leaf: X509Certificate): Promise<void> {
    return this.#store.save({
      authorityKey: derOf(key),
      authorityCertificate: certificate.toString(),
      leafKey: derOf(this.#leafKey),
      leafCertificate: leaf.toString(),
    })
  }

  /**
   * Reads changed files once they are stable, so that no partial change is read, and checks the validity of the served
   * certificate.
   */
  async #followCustom(files: CustomSource): Promise<void> {
    const state = await stateOf(files)
    const isAtRest = state === this.#seenState
    this.#seenState = state
    if (isAtRest && state !== this.#customState) {
      this.#customState = state
      await this.#readCustom(files)
      return
    }
    const now = this.#clock.now()
    if (this.#custom && this.#isCustomServed !== isValidAt(this.#custom.certificate, now)) {
      const { certificate } = this.#custom
      this.#setProblem(this.#isCustomServed ? outOfTime(files, certificate, now) : null)
      this.#switchTo(!this.#isCustomServed)
    }
  }

  async #readCustom(files: CustomSource): Promise<void> {
    try {
      this.#custom = await readCustom(files, this.#clock.now())
    } catch (error) {
      this.#setProblem(error instanceof Error ? error.message : String(error))
      return
    }
    this.#setProblem(null)
    this.#switchTo(true)
  }

  #setProblem(problem: string | null): void {
    if (problem !== null && problem !== this.#customProblem) {
      this.#log.warn({}, problem)
    }
    this.#customProblem = problem
  }

  #switchTo(isCustom: boolean): void {
    this.#isCustomServed = isCustom
    this.#notify()
  }

  #notify(): void {
    this.#listeners.forEach((listener) => listener())
  }
}
