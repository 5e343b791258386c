import { minuteMs } from '../../shared/durations.ts'
import { plural } from '../../shared/plural.ts'
import type { AlertDto } from '../../shared/dtos/alert.ts'
import { length } from '../health/check.ts'
import type { Subject } from './alert-mirror.ts'

/** Sentences of a kind: about one subject, and about several. `of` names a customer that all have in common. */
interface Sentences {
  one: (name: string, detail: string | null) => string
  many: (count: number, of: string) => string
  gone: (name: string, after: string) => string
  allGone: (count: number) => string
}

const devices = (count: number) => plural(count, 'device', 'devices')
const named = (name: string, detail: string | null) => (detail === null ? name : `${name}: ${detail}`)
const moment = { gone: (name: string) => name, allGone: devices }

const value = (what: string): Sentences => ({
  one: (name, detail) => `${what} of ${name} is at ${detail ?? 'its limit'}`,
  many: (count, of) => `${what} of ${devices(count)}${of} is above the limit`,
  gone: (name, after) => `${what} of ${name} is below the limit again after ${after}`,
  allGone: (count) => `${what} of all ${devices(count)} is below the limit again`,
})

const check: Sentences = {
  one: named,
  many: (count) => plural(count, 'finding about the server', 'findings about the server'),
  gone: (name) => `${name}: in order again`,
  allGone: (count) => `All ${plural(count, 'finding', 'findings')} about the server are settled`,
}

const sentences: Record<AlertDto['kind'], Sentences> = {
  'device-offline': {
    one: (name) => `${name} is offline`,
    many: (count, of) => `${devices(count)}${of} went offline`,
    gone: (name, after) => `${name} is online again after ${after}`,
    allGone: (count) => `All ${devices(count)} are online again`,
  },
  'device-back': {
    one: (name) => `${name} is online again`,
    many: (count, of) => `${devices(count)}${of} are online again`,
    ...moment,
  },
  watched: {
    one: (name) => `${name} is online again`,
    many: (count) => `${devices(count)} are online again`,
    ...moment,
  },
  'device-disk': value('Storage'),
  'device-disk-forecast': {
    one: (name) => `A disk of ${name} will be full soon`,
    many: (count, of) => `Disks of ${devices(count)}${of} will be full soon`,
    gone: (name) => `The disks of ${name} will not be full soon any more`,
    allGone: (count) => `The disks of all ${devices(count)} will not be full soon any more`,
  },
  'device-memory': value('Memory'),
  'device-load': value('Processor load'),
  'device-agent-behind': {
    one: (name) => `The agent of ${name} is not up to date`,
    many: (count, of) => `The agents of ${devices(count)}${of} are not up to date`,
    gone: (name) => `The agent of ${name} is up to date`,
    allGone: (count) => `The agents of all ${devices(count)} are up to date`,
  },
  'device-new': {
    one: (name) => `${name} is a new device`,
    many: (count, of) => `${plural(count, 'new device', 'new devices')}${of}`,
    ...moment,
  },
  'device-two-machines': {
    one: (name) => `Two machines use the identity of ${name}`,
    many: (count, of) => `Two machines each use the identity of ${devices(count)}${of}`,
    gone: (name) => `One machine keeps the identity of ${name}`,
    allGone: (count) => `One machine each keeps the identity of ${devices(count)}`,
  },
  'device-changed-hands': {
    one: (name) => `${name} was registered anew`,
    many: (count, of) => `${devices(count)}${of} were registered anew`,
    ...moment,
  },
  'device-session': {
    one: (name) => `A session on ${name} outside of the hours`,
    many: (count, of) => `Sessions on ${devices(count)}${of} outside of the hours`,
    ...moment,
  },
  'sign-ins-failed': {
    one: (name) => `Many failed sign-ins to ${name}`,
    many: (count) => `Many failed sign-ins to ${plural(count, 'account', 'accounts')}`,
    gone: (name) => `No further failed sign-ins to ${name}`,
    allGone: (count) => `No further failed sign-ins to ${plural(count, 'account', 'accounts')}`,
  },
  'right-given': {
    one: (name) => `Rights of ${name} were changed`,
    many: (count) => `Rights were changed ${plural(count, 'time', 'times')}`,
    ...moment,
  },
  'maker-gone': {
    one: (name) => `${name} has stopped`,
    many: (count) => `${count} rules and webhooks have stopped`,
    gone: (name) => `${name} acts again`,
    allGone: (count) => `All ${count} rules and webhooks act again`,
  },
  'server-certificate': check,
  'server-backup': check,
  'server-update': check,
  'server-problem': check,
}

/** Kinds whose sentence about one subject has its detail already. */
const saysDetail = (kind: AlertDto['kind']) => sentences[kind].one('', 'x').includes('x')

const secondMs = 1000

/** " within 20 s", for what failed together. */
function within(subjects: readonly Pick<Subject, 'since'>[]): string {
  const times = subjects.map(({ since }) => since)
  const spread =
    times.reduce((most, at) => Math.max(most, at), -Infinity) - times.reduce((a, b) => Math.min(a, b), Infinity)
  return spread < 2 * minuteMs ? ` within ${Math.max(1, Math.round(spread / secondMs))} s` : ''
}

type About = Pick<Subject, 'name' | 'since' | 'detail'>

/** Sentence about subjects; `customer` is the name of a customer that all have in common. */
export function titleOf(kind: AlertDto['kind'], subjects: readonly About[], customer: string | null): string {
  const [first] = subjects
  const { one, many } = sentences[kind]
  if (subjects.length === 1 && first) {
    return one(first.name, first.detail)
  }
  const of = customer === null ? '' : ` of ${customer}`
  return `${many(subjects.length, of)}${kind === 'device-offline' ? within(subjects) : ''}`
}

/** Sentence for the end of an alert, whose subjects are all gone. */
export function goneTitleOf(kind: AlertDto['kind'], subjects: readonly (About & Pick<Subject, 'goneAt'>)[]): string {
  const [first] = subjects
  const { gone, allGone } = sentences[kind]
  return subjects.length === 1 && first
    ? gone(first.name, length(Math.max(minuteMs, (first.goneAt ?? first.since) - first.since)))
    : allGone(subjects.length)
}

/** Devices that a sentence names. Their readers are told: who may see them is asked of these alone. */
export const namesShown = 5

function listOf(names: readonly string[]): string {
  const rest = names.length - namesShown
  return [...names.slice(0, namesShown), ...(rest > 0 ? [plural(rest, 'other', 'others')] : [])].join(', ')
}

/** Further facts about subjects: a probable cause, their names or the detail. */
export function linesOf(kind: AlertDto['kind'], subjects: readonly About[], network: string | null): string[] {
  const [first] = subjects
  if (subjects.length === 1 && first) {
    return first.detail !== null && !saysDetail(kind) ? [first.detail] : []
  }
  const cause =
    network === null
      ? []
      : [`No device of the network ${network} is online: its switch, gateway or line is probably down.`]
  return [...cause, listOf(subjects.map(({ name }) => name))]
}
