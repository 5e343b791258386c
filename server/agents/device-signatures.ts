import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { encodeSignedDeviceUpdate } from '../../shared/dtos/device-signature.ts'
import { Gathered } from '../engines/flow/gathered.ts'
import type { Clock } from '../ground/clock.ts'
import { RecentEntries } from '../ground/recent-entries.ts'

const verifyAsync = promisify(verify)

const keyLength = 32

/** True for standard base64 of 32 bytes. */
export function isPublicKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === keyLength && bytes.toString('base64') === text
}

/** Explains why a text is not a public key, in the messages that agents expect. */
export function publicKeyProblem(text: string): string | undefined {
  if (text.trim() === '') {
    return 'Public key is required.'
  }
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) {
    return 'Invalid public key format.'
  }
  return bytes.length === keyLength ? undefined : 'Invalid public key length.'
}

/** As a JWK, whose bytes need no ASN.1 parser. */
const importKey = (text: string) =>
  createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(text, 'base64').toString('base64url') },
    format: 'jwk',
  })

/** A signed update as received: member order and number text matter. */
export interface RawSignedUpdate {
  dto: Record<string, unknown>
  timestamp: string
  signature: string
  publicKey: string | null
}

interface Signed {
  payload: Uint8Array
  key: KeyObject
  signature: Buffer
}

/** Verifies signatures; caches imported keys, which halves the cost of each further verification. */
export class SignatureVerifier {
  readonly #keys = new Map<string, KeyObject>()
  readonly #maxKeys: number
  /** The curve arithmetic runs on other threads. */
  readonly #verified = new Gathered(({ payload, key, signature }: Signed) => verifyAsync(null, payload, key, signature))

  constructor(maxKeys = 50_000) {
    this.#maxKeys = maxKeys
  }

  /** True if `raw` was signed by the holder of `publicKey`. */
  async isValid(raw: RawSignedUpdate, publicKey: string): Promise<boolean> {
    let payload: Uint8Array
    try {
      payload = encodeSignedDeviceUpdate(raw.dto, raw.timestamp, raw.publicKey)
    } catch {
      // A member that cannot be encoded was not signed by an agent of a known version.
      return false
    }
    const signed = { payload, key: this.#key(publicKey), signature: Buffer.from(raw.signature, 'base64') }
    return await this.#verified.run(publicKey, signed)
  }

  #key(text: string): KeyObject {
    const known = this.#keys.get(text)
    if (known) {
      return known
    }
    if (this.#keys.size >= this.#maxKeys) {
      this.#keys.clear()
    }
    const key = importKey(text)
    this.#keys.set(text, key)
    return key
  }
}

const ticksPerMs = 10_000
const epochMs = Date.UTC(2020, 0, 1)

/**
 * Converts an ISO timestamp to 100 ns ticks since 2020, with all 7 fraction digits; a double holds such ticks until
 * 2048.
 */
export function readTicks(timestamp: string): number {
  const fraction = /\.(\d{1,7})/.exec(timestamp)?.[1] ?? ''
  return (Date.parse(timestamp) - epochMs) * ticksPerMs + Number(fraction.padEnd(7, '0').slice(3))
}

/** Number of accepted timestamps of a device above which the oldest are dropped. */
const keptTimestamps = 64

/** More devices than a server has. An agent that enrolls itself may claim any number of devices, each with a key. */
const maxDevices = 50_000

interface Accepted {
  /** Key of these signatures. */
  key: string
  /** Newest timestamp stored before the server started: older accepted timestamps are unknown. */
  stored: number
  newest: number
  ticks: number[]
  pruneAt: number
}

/** A verified update of a device. */
interface VerifiedUpdate {
  deviceId: string
  key: string
  ticks: number
  /** Newest timestamp stored for the device and this key. */
  stored: number | null
}

/**
 * Accepts each signed update once (T13). A timestamp newer than all before is no replay; an older timestamp, after a
 * clock correction, is compared with those accepted within the tolerance. The newest timestamp of each device is stored
 * with its report: after a restart, or for an evicted device, only newer timestamps are accepted.
 */
export class ReplayGuard {
  readonly #accepted: RecentEntries<Accepted>
  readonly #clock: Clock
  readonly #tolerance: number | undefined

  /** Without `toleranceMs` the age of timestamps is not checked, and they must increase. */
  constructor(clock: Clock, toleranceMs: number | undefined, most = maxDevices) {
    this.#clock = clock
    this.#tolerance = toleranceMs === undefined ? undefined : toleranceMs * ticksPerMs
    this.#accepted = new RecentEntries(most)
  }

  /** Number of cached devices. */
  get size(): number {
    return this.#accepted.size
  }

  #now = () => (this.#clock.now() - epochMs) * ticksPerMs

  isFresh(ticks: number): boolean {
    return this.#tolerance === undefined || Math.abs(this.#now() - ticks) <= this.#tolerance
  }

  /** Accepts a verified update; false for a replay. */
  accept({ deviceId, key, ticks, stored }: VerifiedUpdate): boolean {
    const known = this.#of(deviceId, key, stored ?? -Infinity)
    const mayBeOlder = this.#tolerance !== undefined && ticks > known.stored && !known.ticks.includes(ticks)
    if (ticks <= known.newest && !mayBeOlder) {
      return false
    }
    known.newest = Math.max(known.newest, ticks)
    known.ticks.push(ticks)
    if (known.ticks.length >= known.pruneAt) {
      const oldest = this.#tolerance === undefined ? known.newest : this.#now() - this.#tolerance
      known.ticks = known.ticks.filter((accepted) => accepted >= oldest)
      known.pruneAt = Math.max(keptTimestamps, 2 * known.ticks.length)
    }
    return true
  }

  #of(deviceId: string, key: string, stored: number): Accepted {
    const known = this.#accepted.get(deviceId)
    // Another server of the database may have accepted newer ones.
    const own =
      known?.key === key && stored <= known.newest
        ? known
        : { key, stored, newest: stored, ticks: [], pruneAt: keptTimestamps }
    // Evicts the device that was silent longest when full.
    this.#accepted.set(deviceId, own)
    return own
  }
}

/** The state of checking signed updates: imported keys, and what was accepted before. */
export class DeviceSignatures {
  readonly verifier = new SignatureVerifier()
  readonly replays: ReplayGuard

  constructor(clock: Clock, toleranceMs: number | undefined) {
    this.replays = new ReplayGuard(clock, toleranceMs)
  }
}
