import type { z } from 'zod'
import { hourMs } from '../../shared/durations.ts'
import { parseJson } from '../../shared/contract/parse-json.ts'
import {
  AskConsent,
  askConsentType,
  clearConsentType,
  consentSeconds,
  filesVisitMs,
  longestFilesVisitMs,
  freeRule,
  type ConsentAnswers,
  type ConsentRule,
  type ConsentSubject,
} from '../../shared/dtos/consent.ts'
import type { DtoWrapper } from '../../shared/dtos/device-commands.ts'
import { failureOf, successOf } from '../../shared/dtos/hub-result.ts'
import { plainText } from '../base/plain-text.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Person } from '../desktop-host/served-desktop.ts'
import type { StandingAnswers } from './standing-answers.ts'

/** Time between an answer and the visit that it lets in. */
const grantMs = 60_000
const maxGrants = 1000
/** Interval of checks whether answers have ended or were changed by hand. */
const reportMs = 60_000

/** Visit about to begin. */
export interface Visit {
  subject: ConsentSubject
  rule: ConsentRule
  /** Account, link or token of the visitor; blank if the server did not name one. */
  visitorId: string
  /** Account that answers for the visitor; undefined if the server did not name one. */
  visitorAccountId?: string | undefined
  visitorName: string | null
  organizationName?: string | undefined
}

export interface Admission {
  /** Reason of a refusal; undefined for a visitor who is let in. */
  refusal: string | undefined
  /** Decided by the rule, by an earlier answer of the person, or by the person now. */
  by: 'rule' | 'standing' | 'person'
  /** Name of the person at the device; blank for nobody, and where nobody had to be looked for. */
  person: string
}

/** Admission of a visit that begins later. */
interface Grant {
  /** Ends on the monotonic clock: people may set the clock of the device back. */
  until: number
  endsAt: number
  person: string
  visitorName: string
}

interface ConsentDependencies {
  clock: Clock
  log: Log
  file: StandingAnswers
  /**
   * Person for visits without a desktop of their own, of several people one of `wishers`; undefined while nobody is
   * signed in. Rejects with the reason if that is unknown.
   */
  person: (wishers: readonly string[]) => Promise<Person | undefined>
  /** Tells the server of the standing answers. */
  report: (answers: ConsentAnswers) => void
}

const keyOf = (subject: ConsentSubject, grantFor: string) => `${subject} ${grantFor}`

const nobody = 'Nobody is signed in at this desktop.'
const admitted: Admission = { refusal: undefined, by: 'rule', person: '' }
const admittedByPerson: Admission = { refusal: undefined, by: 'person', person: '' }
const refused = (refusal: string): Admission => ({ refusal, by: 'person', person: '' })
const declined = refused('The person at the device declined.')
const late = refused(`The person at the device did not answer within ${consentSeconds} s.`)

/**
 * Decides who is let in: by the rule of the server, and by what the person at this device has answered before. A server
 * or a viewer that claims that nobody needs to be asked is not believed where that person wants to be asked (T05).
 */
export class Consent {
  readonly #deps: ConsentDependencies
  /** Grants by visit. */
  readonly #grants = new Map<string, Grant>()
  #reported = ''

  constructor(deps: ConsentDependencies) {
    this.#deps = deps
  }

  /** Reports standing answers whenever they change. Returns a function that stops this. */
  start(): () => void {
    return this.#deps.clock.every(reportMs, () => this.#report())
  }

  /** Call when the server has accepted this device: it knows nothing of earlier reports. */
  resume(): void {
    this.#reported = ''
    this.#report()
  }

  /** Decides about a visit; asks the person where that is needed. */
  async admit(visit: Visit, atDesktop?: Person): Promise<Admission> {
    const { file, clock, log } = this.#deps
    const { subject, rule, visitorId, visitorName } = visit
    const { alwaysAsk } = file.read(clock.now())
    if (rule.mode === 'never' && alwaysAsk.length === 0) {
      return admitted
    }
    let person: Person | undefined
    try {
      person = atDesktop ?? (await this.#deps.person(alwaysAsk))
    } catch (error) {
      return refused((error as Error).message)
    }
    if (!person?.isSignedIn) {
      return rule.mode === 'always' && !rule.allowsSilence ? refused(nobody) : admitted
    }
    const { username } = person
    const asksAlways = file.asksAlways(username, clock.now())
    if (!asksAlways && rule.mode === 'never') {
      return { ...admitted, person: username }
    }
    if (!asksAlways && visitorId !== '' && file.stands({ visitorId, subject, person: username }, clock.now())) {
      return { refusal: undefined, by: 'standing', person: username }
    }
    // A person who wants to be asked each time is not overruled by silence.
    const allowsSilence = rule.allowsSilence && rule.mode !== 'never' && !asksAlways
    const admission = await this.#ask(visit, person, { allowsSilence, asksAlways })
    log.info({ subject, visitorName, refusal: admission.refusal }, 'The person at the device was asked')
    return { ...admission, person: username }
  }

  /** Answers a message of the server about consent; undefined for any other message. */
  async receive({ dtoType, payload }: Pick<z.output<typeof DtoWrapper>, 'dtoType' | 'payload'>) {
    if (dtoType === clearConsentType) {
      this.#deps.log.warn({}, 'The standing answers of the people at this device were removed')
      this.#deps.file.clear()
      this.#grants.clear()
      this.#report()
      return null
    }
    if (dtoType !== askConsentType) {
      return undefined
    }
    const { grantFor, ...visit } = AskConsent.parse(parseJson(Buffer.from(payload, 'base64').toString()))
    const { refusal, person } = await this.admit(visit)
    if (refusal !== undefined) {
      return failureOf(refusal)
    }
    this.#grant(visit.subject, grantFor, { person, visitorName: visit.visitorName })
    return successOf(null)
  }

  /**
   * Lets in a visit for which the server has asked, or decides about it without a rule. Resolves with the name of the
   * visitor, if the server has said it, or a refusal.
   */
  async enter(subject: 'terminal' | 'files', grantFor = ''): Promise<{ refusal?: string; visitorName?: string }> {
    const { clock } = this.#deps
    const key = keyOf(subject, grantFor)
    const grant = await this.#grantInForce(key)
    if (grant) {
      if (subject === 'files') {
        grant.until = Math.min(clock.monotonic() + filesVisitMs, grant.endsAt)
      }
      return { visitorName: grant.visitorName }
    }
    const { refusal, by, person } = await this.admit({ subject, rule: freeRule, visitorId: '', visitorName: null })
    if (refusal === undefined && by === 'person' && subject === 'files') {
      this.#grant(subject, grantFor, { person, visitorName: '' })
    }
    return refusal === undefined ? {} : { refusal }
  }

  /** Takes back what a person has allowed a visitor for longer: that person has ended a session of the visitor. */
  withdraw(visitorId: string, person: string): void {
    this.#deps.file.withdraw(visitorId, person, this.#deps.clock.now())
    this.#report()
  }

  /** Returns why a picture of a desktop is refused: a picture asks nobody. */
  refusalOfPreview({ username, isSignedIn }: Person): string | undefined {
    const { file, clock } = this.#deps
    return isSignedIn && file.asksAlways(username, clock.now())
      ? 'The person at this desktop wants to be asked before the screen is seen. Connect to ask.'
      : undefined
  }

  async #ask(
    { subject, visitorId, visitorAccountId, visitorName, organizationName }: Visit,
    person: Person,
    { allowsSilence, asksAlways }: { allowsSilence: boolean; asksAlways: boolean },
  ): Promise<Admission> {
    const { file, clock } = this.#deps
    const question = {
      subject,
      visitorId,
      visitorAccountId,
      visitorName,
      organizationName,
      allowsSilence,
      asksAlways,
    }
    let reply
    try {
      reply = await person.ask(question)
    } catch (error) {
      return refused(`The person at the device could not be asked: ${(error as Error).message}`)
    }
    if (reply.asksAlways !== asksAlways) {
      file.setAlways(person.username, reply.asksAlways, clock.now())
      this.#grants.clear()
    }
    if ((reply.answer === 'hour' || reply.answer === 'today') && visitorId !== '' && !reply.asksAlways) {
      const until = new Date(reply.answer === 'hour' ? clock.now() + hourMs : midnightAfter(clock.now())).toISOString()
      const name = plainText(visitorName ?? '')
      file.allow({ subject, visitorId, visitorName: name, person: person.username, until }, clock.now())
    }
    this.#report()
    switch (reply.answer) {
      case 'declined':
        return declined
      case 'silent':
        return allowsSilence ? admittedByPerson : late
      case 'not-asked':
        return refused(reply.reason)
      default:
        return admittedByPerson
    }
  }

  /** Grant of a visit; where somebody wants to be asked each time, only while the same person is at the device. */
  async #grantInForce(key: string): Promise<Grant | undefined> {
    const { file, clock, person } = this.#deps
    const grant = this.#grants.get(key)
    if (grant === undefined || grant.until <= clock.monotonic()) {
      return undefined
    }
    const { alwaysAsk } = file.read(clock.now())
    if (alwaysAsk.length === 0) {
      return grant
    }
    try {
      const present = await person(alwaysAsk)
      const isSame = grant.person === (present?.isSignedIn ? present.username : '')
      // A changed answer may have removed the grant meanwhile.
      return isSame && this.#grants.get(key) === grant ? grant : undefined
    } catch {
      // `admit` refuses with the reason.
      return undefined
    }
  }

  #grant(subject: ConsentSubject, grantFor: string, { person, visitorName }: Pick<Grant, 'person' | 'visitorName'>) {
    const now = this.#deps.clock.monotonic()
    for (const [held, { until }] of this.#grants) {
      if (until <= now || this.#grants.size >= maxGrants) {
        this.#grants.delete(held)
      }
    }
    const key = keyOf(subject, grantFor)
    const lasts = subject === 'files' ? filesVisitMs : grantMs
    const name = plainText(visitorName)
    // Requests for files name no visitor: with two of them here, no deed is ascribed to either.
    const others = this.#grants.get(key)
    this.#grants.set(key, {
      until: now + lasts,
      endsAt: now + longestFilesVisitMs,
      person,
      visitorName: others && others.visitorName !== name ? '' : name,
    })
  }

  #report() {
    const { file, clock, report } = this.#deps
    const answers = file.read(clock.now())
    const text = JSON.stringify(answers)
    if (text !== this.#reported) {
      this.#reported = text
      report(answers)
    }
  }
}

/** Next midnight of this device. */
const midnightAfter = (now: number) => new Date(now).setHours(24, 0, 0, 0)
