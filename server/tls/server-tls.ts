import { Mutex } from '../../shared/mutex.ts'
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import type { SecureContextOptions } from 'node:tls'
import type { NamedReleaseKey } from '../../shared/agent-release.ts'
import type { Pin, ServerIdentityDto, SignedAddresses } from '../../shared/server-identity.ts'
import type { Cancel, Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { isAuthorityDue, isDue, isValidAt, makeAuthority, makeLeaf, type Authority } from './certificates.ts'
import { FreshStatements } from './fresh-statements.ts'
import { newKey, pinOf } from './keys.ts'
import { isPublicName, namesOf, normalName } from './names.ts'
import { outOfTime, readOwn, stateOf, type OwnCertificate, type OwnSource } from './own-certificate.ts'

export type { OwnSource } from './own-certificate.ts'

/** What has to outlive the process. Keys in PKCS #8, DER; certificates in PEM. */
export interface StoredIdentity {
  authorityKey: Buffer
  authorityCertificate: string
  leafKey: Buffer
  leafCertificate: string
}

/** Where it is kept; `save` replaces all of it at once. */
export interface IdentityStore {
  load(): Promise<StoredIdentity | undefined>
  save(identity: StoredIdentity): Promise<void>
}

export interface ServerTlsDependencies {
  clock: Clock
  log: Log
  store: IdentityStore
  /** Names and addresses that every certificate of ours is for. */
  names: readonly string[]
}

/** The certificate that is shown to whoever connects. */
export interface ShownCertificate {
  /** Who made it: our authority, or somebody else whose certificate was configured. */
  source: 'authority' | 'own'
  names: string[]
  /** Milliseconds since 1970. */
  notBefore: number
  notAfter: number
  /** Why a configured certificate is not shown, or not its newest version; null when there is nothing to say. */
  problem: string | null
}

const lookMs = 5_000
/** After a renewal that failed. */
const retryMs = 10 * 60_000
const maxNames = 100

const readKey = (der: Buffer) => createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
const derOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'der' })

/** One address or name in each spelling once, what is neither left out. */
const distinct = (names: readonly string[]) => [...new Set(names.map(normalName).filter((name) => name !== undefined))]

/**
 * Who this server is: an authority of its own, whose key never changes, and the certificate that it shows, which the
 * authority made or somebody else did. Certificates are renewed by themselves.
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
  readonly #ownNames: readonly string[]
  /** What else certificates are made for, by who asked for it. */
  readonly #wanted = new Map<string, readonly string[]>()
  /** All of it. */
  #names: readonly string[]
  readonly #changes = new Mutex()
  #retryAt = -Infinity
  #ownFiles: OwnSource | undefined
  #ownState = ''
  #seenState = ''
  #own: OwnCertificate | undefined
  #ownProblem: string | null = null
  #isOwnShown = false
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
    this.#ownNames = distinct(names)
    this.#names = this.#ownNames
    this.#cancels.push(clock.every(lookMs, () => void this.#changes.run(() => this.#look())))
  }

  /** Reads the identity of this server, or makes it; renews what has run out while nobody looked. */
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
    const authority = await makeAuthority(authorityKey, now)
    const leaf = await makeLeaf(authority, leafKey, distinct(deps.names), now)
    const tls = new ServerTls(deps, { authority, leafKey, leaf })
    await tls.#save(authority, leaf)
    return tls
  }

  /** Certificate of the authority. */
  get authorityPem(): string {
    return this.#authority.certificate.toString()
  }

  /** The key by which this server is known for ever. */
  get authorityPin(): Pin {
    return pinOf(this.#authority.key)
  }

  /** The key of the certificate that is shown now. */
  serverPin(): Pin {
    return this.#isOwnShown && this.#own ? pinOf(this.#own.certificate.publicKey) : pinOf(this.#leafKey)
  }

  /** Whether a certificate is over the key that is shown now, whoever issued it. Throws for what is no certificate. */
  isOver(pem: string): boolean {
    return pinOf(new X509Certificate(pem).publicKey) === this.serverPin()
  }

  certificate(): ShownCertificate {
    const shown = this.#isOwnShown && this.#own ? this.#own.certificate : this.#leaf
    return {
      source: this.#isOwnShown ? 'own' : 'authority',
      names: namesOf(shown),
      notBefore: shown.validFromDate.getTime(),
      notAfter: shown.validToDate.getTime(),
      problem: this.#ownProblem,
    }
  }

  /** What certificates are made for: the same array until that is something else. */
  get names(): readonly string[] {
    return this.#names
  }

  /** Whether the certificate shown is one of somebody else for this name of the internet: browsers may insist on TLS for it. */
  isCertifiedElsewhere(name: string): boolean {
    const shown = this.#isOwnShown ? this.#own?.certificate : undefined
    const isSelfSigned = shown?.checkIssued(shown) === true
    return shown !== undefined && !isSelfSigned && isPublicName(name) && shown.checkHost(name) !== undefined
  }

  /** What a TLS server needs to show the certificate. */
  context(): SecureContextOptions {
    if (this.#isOwnShown && this.#own) {
      return this.#own.context
    }
    const key = this.#leafKey.export({ type: 'pkcs8', format: 'pem' })
    // Without the authority's own certificate: whoever trusts it has it.
    return { cert: this.#leaf.toString(), key }
  }

  /**
   * Makes sure that certificates of ours are for these, too, and no longer for what the same `asker` wanted before; resolves
   * when they are. What is no name is left out.
   */
  serve(names: readonly string[], asker: string): Promise<void> {
    return this.#changes.run(async () => {
      this.#wanted.set(asker, distinct(names))
      const before = this.#names
      const all = [...new Set([...this.#ownNames, ...[...this.#wanted.values()].flat()])].slice(0, maxNames)
      const isSame = all.length === before.length && all.every((name) => before.includes(name))
      this.#names = isSame ? before : all
      const covered = namesOf(this.#leaf)
      const lacks = all.some((name) => !covered.includes(name))
      const isTooWide = before.some((name) => !all.includes(name) && covered.includes(name))
      await this.#renew(lacks || isTooWide)
    })
  }

  /** The signed statement of the server that has these addresses, this name, and these keys that sign agents. */
  statement(addresses: readonly string[], name: string, releaseKeys?: readonly NamedReleaseKey[]): ServerIdentityDto {
    const described = { serverPin: this.serverPin(), name, addresses, ...(releaseKeys && { releaseKeys }) }
    return this.#statements.statement(this.#authority, described)
  }

  /** The same of the addresses alone, short enough for an announcement. */
  signedAddresses(addresses: readonly string[]): SignedAddresses {
    return this.#statements.addresses(this.#authority, addresses)
  }

  /**
   * Shows the certificate in these files, whose changes are followed, or in this content from now on; without any ours. Resolves with what is
   * wrong with them, or null. What is wrong changes nothing of what is shown.
   */
  useOwn(files: OwnSource | undefined): Promise<string | null> {
    return this.#changes.run(async () => {
      this.#ownFiles = files
      if (!files) {
        this.#own = undefined
        this.#ownProblem = null
        this.#show(false)
        return null
      }
      this.#ownState = this.#seenState = await stateOf(files)
      await this.#readOwn(files)
      return this.#ownProblem
    })
  }

  /** Calls `listener` whenever another certificate is shown. Returns what ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Stops renewing and looking, and waits for what is being done. */
  async close(): Promise<void> {
    this.#cancels.forEach((cancel) => cancel())
    await this.#changes.idle()
  }

  async #look(): Promise<void> {
    if (this.#clock.monotonic() >= this.#retryAt) {
      try {
        // What nobody has asked for since the start was for a network that is not served any more.
        const isTooWide = namesOf(this.#leaf).some((name) => !this.#names.includes(name))
        await this.#renew(isTooWide)
      } catch (error) {
        this.#retryAt = this.#clock.monotonic() + retryMs
        this.#log.error({ err: error }, 'The certificate of this server could not be renewed.')
      }
    }
    if (this.#ownFiles) {
      await this.#followOwn(this.#ownFiles)
    }
  }

  /** Makes what has run out anew, and the leaf also where it has other names than it should. */
  async #renew(hasOtherNames: boolean): Promise<void> {
    const now = this.#clock.now()
    const isAuthorityOld = isAuthorityDue(this.#authority.certificate, now)
    if (!hasOtherNames && !isAuthorityOld && !isDue(this.#leaf, now)) {
      return
    }
    const authority = isAuthorityOld ? await makeAuthority(this.#authority.key, now) : this.#authority
    const leaf = await makeLeaf(authority, this.#leafKey, this.#names, now)
    // What could not be kept is not shown: it would be tried again, and the next start would not know it.
    await this.#save(authority, leaf)
    this.#authority = authority
    this.#leaf = leaf
    this.#log.info({ until: leaf.validToDate.toISOString() }, 'A certificate was made for this server.')
    if (!this.#isOwnShown) {
      this.#tell()
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

  /** Reads changed files once they rest, so that no half of a change is taken, and watches the life of what is shown. */
  async #followOwn(files: OwnSource): Promise<void> {
    const state = await stateOf(files)
    const isAtRest = state === this.#seenState
    this.#seenState = state
    if (isAtRest && state !== this.#ownState) {
      this.#ownState = state
      await this.#readOwn(files)
      return
    }
    const now = this.#clock.now()
    if (this.#own && this.#isOwnShown !== isValidAt(this.#own.certificate, now)) {
      const { certificate } = this.#own
      this.#setProblem(this.#isOwnShown ? outOfTime(files, certificate, now) : null)
      this.#show(!this.#isOwnShown)
    }
  }

  async #readOwn(files: OwnSource): Promise<void> {
    try {
      this.#own = await readOwn(files, this.#clock.now())
    } catch (error) {
      this.#setProblem(error instanceof Error ? error.message : String(error))
      return
    }
    this.#setProblem(null)
    this.#show(true)
  }

  #setProblem(problem: string | null): void {
    if (problem !== null && problem !== this.#ownProblem) {
      this.#log.warn({}, problem)
    }
    this.#ownProblem = problem
  }

  #show(isOwn: boolean): void {
    this.#isOwnShown = isOwn
    this.#tell()
  }

  #tell(): void {
    this.#listeners.forEach((listener) => listener())
  }
}
