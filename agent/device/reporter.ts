import { type DeviceUpdateRequestDto, ownAgentMake, type SignedDeviceUpdateDto } from '../../shared/dtos/device.ts'
import type { Cancel, Clock } from '../base/clock.ts'
import type { AgentHubMethods } from '../link/connection.ts'
import { adviceFor } from '../base/explain-failure.ts'
import { meaningfulFacts, type Facts } from './facts.ts'
import type { Identity } from '../trust/identity.ts'
import type { Log } from '../base/log.ts'
import { encodeSignedDeviceUpdate } from '../../shared/dtos/device-signature.ts'

/** Signs a device update over its MessagePack encoding (`docs/hubs.md`, "What is signed"). */
export function signUpdate(dto: DeviceUpdateRequestDto, identity: Identity, nowMs: number): SignedDeviceUpdateDto {
  const timestamp = new Date(nowMs).toISOString().replace('Z', '+00:00')
  const message = encodeSignedDeviceUpdate(dto, timestamp, identity.publicKey)
  const signature = Buffer.from(identity.sign(message)).toString('base64')
  return { dto, timestamp, signature, publicKey: identity.publicKey, agentMake: ownAgentMake }
}

export const heartbeatMs = 5 * 60_000
export const sampleMs = 30_000

export interface ReporterDependencies {
  clock: Clock
  log: Log
  identity: Identity
  /** Newer key that the server may have accepted, tried if the first key is rejected. */
  pendingIdentity?: Identity | undefined
  ids: { deviceId: string; tenantId: string }
  readFacts: () => Promise<Facts>
  send: AgentHubMethods['UpdateDeviceSigned']
  /** Calls `listener` when a user signs in or out, until the returned function is called. */
  onSessionChange?: ((listener: () => void) => Cancel) | undefined
  /** Called once when one of two identities was accepted. */
  onProven?: (identity: Identity) => void
  /** Called with the server's answer: accepted, or the reason of the rejection. */
  onAnswer: (refusal: string | undefined) => void
}

export const describeDevice = (ids: { deviceId: string; tenantId: string }, facts: Facts): DeviceUpdateRequestDto => ({
  id: ids.deviceId,
  tenantId: ids.tenantId,
  ...facts,
})

/** Reports the device to the server: on connect, every five minutes, on request, and on changes. */
export class Reporter {
  readonly #deps: ReporterDependencies
  #timers: Cancel[] = []
  #reported = ''
  #running: Promise<void> | undefined
  #isWantedAgain = false
  #identity: Identity
  /** Second identity, until one of the two was accepted. */
  #other: Identity | undefined

  constructor(deps: ReporterDependencies) {
    this.#deps = deps
    this.#identity = deps.identity
    this.#other = deps.pendingIdentity
  }

  /** Call when the connection is up: reports now, and keeps reporting until `pause`. */
  start(): void {
    const { clock, onSessionChange } = this.#deps
    this.pause()
    this.#timers = [
      clock.every(heartbeatMs, () => void this.report()),
      clock.every(sampleMs, () => void this.#reportChange()),
      onSessionChange?.(() => void this.#reportChange()) ?? (() => {}),
    ]
    void this.report()
  }

  pause(): void {
    this.#timers.forEach((cancel) => cancel())
    this.#timers = []
  }

  /** Sends an update; a call during an update queues another one with newer facts. */
  report(): Promise<void> {
    if (this.#running) {
      this.#isWantedAgain = true
      return this.#running
    }
    this.#running = this.#send()
      .catch((error: unknown) => this.#deps.log.warn({ error }, 'Device update failed'))
      .finally(() => {
        this.#running = undefined
        if (this.#isWantedAgain) {
          this.#isWantedAgain = false
          void this.report()
        }
      })
    return this.#running
  }

  async #reportChange() {
    const facts = await this.#deps.readFacts()
    if (meaningfulFacts(facts) !== this.#reported) {
      await this.report()
    }
  }

  async #send() {
    const { log, readFacts, onAnswer } = this.#deps
    const facts = await readFacts()
    const { isSuccess, reason } = await this.#offer(facts)
    this.#reported = meaningfulFacts(facts)
    if (isSuccess) {
      onAnswer(undefined)
      return
    }
    const refusal = adviceFor(reason ?? 'The server gave no reason.')
    log.error({ reason: refusal }, 'The server rejected the device update; next try at the next heartbeat')
    onAnswer(refusal)
  }

  /** Sends an update, signed with the identity that the server is known to have. */
  async #offer(facts: Facts) {
    const { clock, ids, send, onProven } = this.#deps
    const update = describeDevice(ids, facts)
    const first = await send(signUpdate(update, this.#identity, clock.now()))
    const other = this.#other
    if (!other) {
      return first
    }
    const answer = first.isSuccess ? first : await send(signUpdate(update, other, clock.now()))
    if (answer.isSuccess) {
      this.#identity = first.isSuccess ? this.#identity : other
      this.#other = undefined
      onProven?.(this.#identity)
    }
    return answer
  }
}
