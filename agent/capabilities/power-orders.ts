import { readFileSync, rmSync } from 'node:fs'
import { z } from 'zod'
import { parseJson } from '../../shared/contract/parse-json.ts'
import type { DtoWrapper } from '../../shared/dtos/device-commands.ts'
import { failureOf, successOf, type HubResult } from '../../shared/dtos/hub-result.ts'
import {
  CancelPowerOrder,
  cancelPowerOrderType,
  PowerOrder,
  powerLapseMs,
  powerOrderType,
  powerQuestionSeconds,
  type PowerStateDto,
  type PowerTime,
} from '../../shared/dtos/power-order.ts'
import type { Clock } from '../base/clock.ts'
import { writeFileAtomically } from '../base/write-file.ts'
import type { Log } from '../base/log.ts'
import type { Person } from '../desktop-host/served-desktop.ts'
import type { PowerReply } from '../desktop/messages.ts'
import { delaysOf, timeOf } from './power-times.ts'

/** Interval of looks at the clock: timers stand still while a device sleeps. */
const lookMs = 5_000

/** Order with its time, which the person may delay until `latest`. */
const KeptOrder = z.object({ order: PowerOrder, at: z.number(), latest: z.number() })
type KeptOrder = z.output<typeof KeptOrder>

export interface PowerOrdersDependencies {
  clock: Clock
  log: Log
  file: string
  /** Changes that the system has. */
  variants: () => Promise<PowerStateDto['variants']>
  /** Person at this device; undefined while nobody is signed in. Rejects with the reason if that is unknown. */
  person: () => Promise<Person | undefined>
  report: (state: PowerStateDto) => Promise<unknown>
  /** Whether the server still wants it: the account that ordered it may have ended (T43). Rejects if it does not answer. */
  confirm: (id: string) => Promise<HubResult>
  change: (order: PowerOrder) => void
}

/** Restart or shutdown that was ordered for later, with the person at the device asked. Survives restarts of the agent. */
export class PowerOrders {
  readonly #deps: PowerOrdersDependencies
  #kept: KeptOrder | undefined
  /** Order about which the person has been asked for its present time. */
  #toldId = ''
  #asking: { id: string; person: Person } | undefined
  #ended: PowerStateDto['ended'] = null
  /** Clock less uptime when the order was taken; undefined for an order of the file, for which only the clock is left. */
  #clockOffsetMs: number | undefined
  #isWorking = false

  constructor(deps: PowerOrdersDependencies) {
    this.#deps = deps
    this.#kept = readKept(deps.file)
  }

  /** Carries out orders in time. Returns a function that stops this. */
  start(): () => void {
    return this.#deps.clock.every(lookMs, () => void this.#look())
  }

  /** Call when the server has accepted this device: it knows nothing of earlier reports. */
  resume(): void {
    void this.#report()
  }

  /** Answers a message of the server about orders; undefined for any other message. */
  async receive({ dtoType, payload }: Pick<z.output<typeof DtoWrapper>, 'dtoType' | 'payload'>) {
    const content = () => parseJson(Buffer.from(payload, 'base64').toString())
    if (dtoType === cancelPowerOrderType) {
      await this.#cancel(CancelPowerOrder.parse(content()).id)
      return successOf(null)
    }
    return dtoType === powerOrderType ? this.#take(PowerOrder.parse(content())) : undefined
  }

  /** Time by which the order is due: a clock that is set meanwhile moves no order. */
  #now(): number {
    const { clock } = this.#deps
    return this.#clockOffsetMs === undefined ? clock.now() : clock.uptime() + this.#clockOffsetMs
  }

  /** Time at which a delay ends that is chosen now. */
  #endOf(delay: PowerTime): number {
    const shown = this.#deps.clock.now()
    return this.#now() + timeOf(delay, shown) - shown
  }

  async #take(order: PowerOrder) {
    const { clock, log } = this.#deps
    const now = clock.now()
    // A person who is asked has the time of the question to save work.
    const at = order.when === 'now' && order.person !== 'not-asked' ? now + questionMs : timeOf(order.when, now)
    const latest = Math.max(at, ...delaysOf(order.person).map((delay) => timeOf(delay, delay === 'hour' ? at : now)))
    const earlier = this.#kept
    try {
      this.#keep({ order, at, latest })
    } catch (error) {
      return failureOf(`The device could not store the order: ${(error as Error).message}`)
    }
    this.#clockOffsetMs = now - clock.uptime()
    await this.#endQuestion(earlier?.order.id)
    this.#toldId = ''
    log.warn({ order: order.id, change: order.change, at: new Date(at).toISOString() }, 'A power change was ordered')
    await this.#report()
    void this.#look()
    return successOf(null)
  }

  async #cancel(id: string) {
    if (this.#kept?.order.id === id) {
      this.#deps.log.warn({ order: id }, 'An ordered power change was canceled')
      this.#drop()
      await this.#endQuestion(id)
      await this.#report()
    }
  }

  async #endQuestion(id: string | undefined) {
    if (this.#asking && this.#asking.id === id) {
      const { person } = this.#asking
      this.#asking = undefined
      await person.endPowerQuestion(id).catch(() => {})
    }
  }

  async #look(): Promise<void> {
    const { log } = this.#deps
    const kept = this.#kept
    if (!kept || this.#isWorking) {
      return
    }
    this.#isWorking = true
    try {
      const now = this.#now()
      if (now > kept.at + powerLapseMs) {
        return await this.#giveUp(kept, 'The device was off or asleep at that time, or could not reach the server.')
      }
      const { id, person } = kept.order
      if (person !== 'not-asked' && this.#toldId !== id && now >= kept.at - questionMs) {
        await this.#ask(kept)
      }
      if (this.#kept === kept && (person === 'not-asked' || this.#toldId === id) && this.#now() >= kept.at) {
        await this.#act(kept)
      }
    } catch (error) {
      log.error({ error }, 'An ordered power change failed')
    } finally {
      this.#isWorking = false
    }
  }

  async #ask(kept: KeptOrder) {
    const { order } = kept
    let person: Person | undefined
    try {
      person = await this.#deps.person()
    } catch (error) {
      return this.#giveUp(kept, `The person at the device could not be asked: ${(error as Error).message}`)
    }
    // Canceled or replaced meanwhile.
    if (this.#kept !== kept) {
      return
    }
    if (!person?.isSignedIn) {
      this.#toldId = order.id
      return
    }
    const choices = delaysOf(order.person).filter((delay) => this.#endOf(delay) <= kept.latest + questionMs)
    const mayDecline = order.person === 'not-today'
    this.#asking = { id: order.id, person }
    await this.#report()
    if (this.#kept !== kept) {
      return
    }
    const { visitorName, organizationName, change, id } = order
    const tonight = timeOf('tonight', this.#deps.clock.now())
    const reply = await person
      .askPower({ id, change, visitorName, organizationName, choices, mayDecline, tonight })
      .catch((error: unknown): PowerReply => ({ answer: 'not-asked', reason: (error as Error).message }))
    if (this.#asking?.id !== id || this.#kept !== kept) {
      return
    }
    this.#asking = undefined
    await this.#follow(kept, reply, { choices, mayDecline })
  }

  /** Follows an answer. The process that shows the window is the person's, so its answer is checked against the choices. */
  async #follow(
    kept: KeptOrder,
    { answer, reason }: PowerReply,
    { choices, mayDecline }: { choices: readonly PowerTime[]; mayDecline: boolean },
  ) {
    const { log } = this.#deps
    const { order } = kept
    log.info({ order: order.id, answer }, 'The person at the device was asked about a power change')
    if (answer === 'not-asked') {
      return this.#giveUp(kept, reason)
    }
    if (answer === 'declined' && mayDecline) {
      return this.#giveUp(kept, 'The person at the device said “Not today”.')
    }
    if ((answer === 'hour' || answer === 'tonight') && choices.includes(answer)) {
      this.#keep({ ...kept, at: this.#endOf(answer) })
      return this.#report()
    }
    this.#toldId = order.id
    if (answer === 'now') {
      return this.#act(kept)
    }
    await this.#report()
  }

  async #act(kept: KeptOrder) {
    const { order } = kept
    let confirmed: HubResult
    try {
      confirmed = await this.#deps.confirm(order.id)
    } catch (error) {
      // Tried again with the next look, until the order has lapsed.
      this.#deps.log.info({ error }, 'The server did not confirm a power change yet')
      return
    }
    if (this.#kept !== kept) {
      return
    }
    if (!confirmed.isSuccess) {
      return this.#giveUp(kept, confirmed.reason ?? 'The server no longer wants it.')
    }
    this.#drop()
    await this.#report()
    this.#deps.change(order)
  }

  async #giveUp({ order: { id, change } }: KeptOrder, reason: string) {
    this.#deps.log.warn({ order: id, change, reason }, 'An ordered power change was given up')
    this.#drop()
    this.#ended = { id, reason }
    await this.#report()
  }

  #keep(kept: KeptOrder) {
    writeFileAtomically(this.#deps.file, JSON.stringify(kept))
    this.#kept = kept
  }

  #drop() {
    this.#kept = undefined
    rmSync(this.#deps.file, { force: true })
  }

  async #report() {
    const { variants, report, log } = this.#deps
    try {
      const known = await variants()
      // Read after that wait: of two reports at the same time, the later one has the later state.
      const ended = this.#ended
      const order = this.#kept && {
        id: this.#kept.order.id,
        at: new Date(this.#kept.at).toISOString(),
        isAsking: this.#asking !== undefined,
      }
      await report({ variants: known, now: new Date(this.#now()).toISOString(), order: order ?? null, ended })
      // Another order may have ended meanwhile.
      if (this.#ended === ended) {
        this.#ended = null
      }
    } catch (error) {
      // Older servers do not know the method; others are told on connecting.
      log.debug({ error }, 'The report of power changes failed')
    }
  }
}

const questionMs = powerQuestionSeconds * 1000

/** Order of the file; a missing or damaged file holds none. */
function readKept(file: string): KeptOrder | undefined {
  try {
    return KeptOrder.safeParse(parseJson(readFileSync(file, 'utf8'))).data
  } catch {
    return undefined
  }
}
