import type { OrderedChange, PersonChoice, PowerTime, PowerTiming } from '../../shared/dtos/power-order.ts'
import { visibleName } from '../text/visible-name.ts'

const changes: Readonly<Record<OrderedChange, string>> = { restart: 'Restart', shutdown: 'Shut down' }

const names: Readonly<Record<OrderedChange, string>> = { restart: 'Restart', shutdown: 'Shutdown' }

const times: Readonly<Record<PowerTime, string>> = {
  now: 'Now',
  hour: 'In an hour',
  tonight: 'Tonight, at 22:00 on the device',
}

const choices: Readonly<Record<PersonChoice, string>> = {
  'not-asked': 'Is not asked',
  told: 'Has 2 minutes to save',
  hour: 'May delay it by an hour',
  tonight: 'May delay it until tonight',
  'not-today': 'May delay or decline it',
}

/** Freedom of the person at the device, as a sentence. */
const freedoms: Readonly<Record<PersonChoice, string>> = {
  'not-asked': 'Nobody is asked.',
  told: 'Whoever is signed in gets 2 minutes to save.',
  hour: 'Whoever is signed in may delay it by an hour.',
  tonight: 'Whoever is signed in may delay it until tonight.',
  'not-today': 'Whoever is signed in may delay or decline it.',
}

export const power = {
  changes,
  times,
  choices,
  change: 'What',
  when: 'When',
  person: 'The person at the device',
  hint: (person: PersonChoice) =>
    person === 'not-asked'
      ? 'Unsaved work is lost.'
      : 'If somebody is signed in, a window asks 2 minutes before. Without an answer it happens.',
  timing: ({ when, person }: PowerTiming) => `${times[when]}. ${freedoms[person]}`,
  title: (name: string) => `Restart or shut down ${name}`,
  order: { restart: 'Order the restart', shutdown: 'Order the shutdown' } satisfies Record<OrderedChange, string>,
  label: 'Ordered restart or shutdown',
  due: (change: OrderedChange, when: string) => `${names[change]} due ${when}`,
  isDue: (change: OrderedChange) => `${names[change]} is due`,
  details: (by: string, person: PersonChoice) => `Ordered by ${visibleName(by)}. ${freedoms[person]}`,
  isAsking: 'The person at the device is being asked.',
  offline: 'The device is offline, and acts only if it is back within an hour of that time.',
  cancel: 'Cancel it',
}
