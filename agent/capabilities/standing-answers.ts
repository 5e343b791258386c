import { readFileSync } from 'node:fs'
import { hourMs } from '../../shared/durations.ts'
import { parseJson } from '../../shared/contract/parse-json.ts'
import { ConsentAnswers, type StandingConsent } from '../../shared/dtos/consent.ts'
import { writeFileAtomically } from '../base/write-file.ts'

const maxStanding = 200
const maxPeople = 100
/** Length of a day when summer time ends. An answer that lasts longer was given before the clock was set back. */
const longestMs = 25 * hourMs

/** Subjects that an answer covers: control includes viewing. */
const covers = (answer: StandingConsent, subject: StandingConsent['subject']) =>
  answer.subject === subject || (answer.subject === 'control' && subject === 'viewing')

/**
 * Standing answers of the people at this device, in the private folder of the agent. Read anew for each question, so
 * that `farhand-agent consent` takes effect at once.
 */
export class StandingAnswers {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  /** Answers in force; a missing or damaged file holds none. */
  read(now: number): ConsentAnswers {
    let text = ''
    try {
      text = readFileSync(this.#file, 'utf8')
    } catch {
      // No answer was given yet.
    }
    const { standing = [], alwaysAsk = [] } = ConsentAnswers.safeParse(parseJson(text)).data ?? {}
    const holds = ({ until }: StandingConsent) => Date.parse(until) > now && Date.parse(until) <= now + longestMs
    return { standing: standing.filter(holds), alwaysAsk }
  }

  asksAlways(person: string, now: number): boolean {
    return this.read(now).alwaysAsk.includes(person)
  }

  /** True if a person has allowed visits of this kind to the visitor. */
  stands({ visitorId, subject, person }: Omit<StandingConsent, 'visitorName' | 'until'>, now: number): boolean {
    return this.read(now).standing.some(
      (answer) => answer.visitorId === visitorId && answer.person === person && covers(answer, subject),
    )
  }

  /** A later answer to the same visitor replaces the earlier one. */
  allow(answer: StandingConsent, now: number): void {
    const { standing, alwaysAsk } = this.read(now)
    const isOther = ({ visitorId, person, subject }: StandingConsent) =>
      visitorId !== answer.visitorId || person !== answer.person || subject !== answer.subject
    this.#write({ standing: [...standing.filter(isOther), answer].slice(-maxStanding), alwaysAsk })
  }

  /** Sets whether a person is asked each time, which ends what that person has allowed for longer. */
  setAlways(person: string, asksAlways: boolean, now: number): void {
    const { standing, alwaysAsk } = this.read(now)
    const others = alwaysAsk.filter((other) => other !== person)
    this.#write(
      asksAlways
        ? {
            standing: standing.filter((answer) => answer.person !== person),
            alwaysAsk: [...others, person].slice(-maxPeople),
          }
        : { standing, alwaysAsk: others },
    )
  }

  withdraw(visitorId: string, person: string, now: number): void {
    const { standing, alwaysAsk } = this.read(now)
    const left = standing.filter((answer) => answer.visitorId !== visitorId || answer.person !== person)
    if (left.length < standing.length) {
      this.#write({ standing: left, alwaysAsk })
    }
  }

  clear(): void {
    this.#write({ standing: [], alwaysAsk: [] })
  }

  #write(answers: ConsentAnswers) {
    writeFileAtomically(this.#file, JSON.stringify(answers))
  }
}
