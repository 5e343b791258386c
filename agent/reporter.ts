import type { DeviceUpdateRequestDto } from '../shared/dtos/device.ts'
import type { Cancel, Clock } from './clock.ts'
import type { AgentHubMethods } from './connection.ts'
import { adviceFor } from './explain.ts'
import { meaningfulFacts, type Facts } from './facts.ts'
import type { Identity } from './identity.ts'
import type { Log } from './log.ts'
import { signUpdate } from './signing.ts'

export const heartbeatMs = 5 * 60_000
export const sampleMs = 30_000

export interface ReporterPorts {
  clock: Clock
  log: Log
  identity: Identity
  ids: { deviceId: string; tenantId: string }
  readFacts: () => Promise<Facts>
  send: AgentHubMethods['UpdateDeviceSigned']
  /** Called with the server's view: accepted, or refused for a reason. */
  onAnswer: (refusal: string | undefined) => void
}

export const describeDevice = (ids: { deviceId: string; tenantId: string }, facts: Facts): DeviceUpdateRequestDto => ({
  id: ids.deviceId,
  tenantId: ids.tenantId,
  ...facts,
})

/** Tells the server about the device: on connect, every five minutes, when asked, and when something changed. */
export class Reporter {
  readonly #ports: ReporterPorts
  #timers: Cancel[] = []
  #reported = ''
  #running: Promise<void> | undefined
  #isWantedAgain = false

  constructor(ports: ReporterPorts) {
    this.#ports = ports
  }

  /** The connection is up: report now and keep reporting until `pause`. */
  start(): void {
    const { clock } = this.#ports
    this.pause()
    this.#timers = [
      clock.every(heartbeatMs, () => void this.report()),
      clock.every(sampleMs, () => void this.#reportChange()),
    ]
    void this.report()
  }

  pause(): void {
    this.#timers.forEach((cancel) => cancel())
    this.#timers = []
  }

  /** Sends one update; while one is under way, a second one follows it with newer facts. */
  report(): Promise<void> {
    if (this.#running) {
      this.#isWantedAgain = true
      return this.#running
    }
    this.#running = this.#send()
      .catch((error: unknown) => this.#ports.log.warn({ error }, 'Device update failed'))
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
    const facts = await this.#ports.readFacts()
    if (meaningfulFacts(facts) !== this.#reported) {
      await this.report()
    }
  }

  async #send() {
    const { clock, log, identity, ids, readFacts, send, onAnswer } = this.#ports
    const facts = await readFacts()
    const { isSuccess, reason } = await send(signUpdate(describeDevice(ids, facts), identity, clock.now()))
    this.#reported = meaningfulFacts(facts)
    if (isSuccess) {
      onAnswer(undefined)
      return
    }
    const refusal = adviceFor(reason ?? 'The server gave no reason.')
    log.error({ reason: refusal }, 'The server refused the device update; next try at the next heartbeat')
    onAnswer(refusal)
  }
}
