import { plural } from '../../shared/plural.ts'
import { consentSeconds, type ConsentMode, type ConsentSubject } from '../../shared/dtos/consent.ts'

const subjects: Readonly<Record<ConsentSubject, string>> = {
  control: 'Control the screen',
  viewing: 'See the screen',
  terminal: 'Terminal and commands',
  files: 'Files',
}

const modes: Readonly<Record<ConsentMode, string>> = {
  never: 'Don’t ask',
  'signed-in': 'Ask if somebody is signed in',
  always: 'Always ask',
}

const list = new Intl.ListFormat('en')

export const consent = {
  title: 'Consent',
  intro:
    'When the person at a device is asked before a visit. The strictest policy wins, and no technician can skip it.',
  list: 'Consent policies',
  shown: (number: number) => plural(number, 'policy', 'policies'),
  create: 'New policy',
  createTitle: 'New consent policy',
  createSubmit: 'Create policy',
  full: 'An organization has at most 100 policies. Delete one first.',
  emptyTitle: 'Nobody is asked yet',
  emptyHint:
    'Technicians connect without asking, unless they choose to. A policy makes the device ask its person first, on all devices or on those of a customer or tag.',
  subjects,
  modes,
  devices: 'Devices',
  allDevices: 'All devices',
  devicesOf: (customer: string | undefined, tag: string | undefined) =>
    customer === undefined && tag === undefined
      ? 'All devices'
      : [customer, tag === undefined ? undefined : `tag ${tag}`].filter((part) => part !== undefined).join(', '),
  gone: 'Unknown',
  asks: 'Asks before',
  asksBefore: (asked: readonly ConsentSubject[]) =>
    asked.length === 0 ? 'Nothing' : list.format(asked.map((subject) => subjects[subject])),
  nameHint: 'Technicians read it while they wait, and the audit log names it.',
  customer: 'Customer',
  customerHint: 'Its sites are included. Leave it empty for all customers.',
  tag: 'Tag',
  tagHint: 'Leave it empty for devices with any tags.',
  any: 'Any',
  before: 'What to ask before',
  signedInHint: '“Always ask” refuses a visit while nobody is signed in, unless silence counts as a yes.',
  silence: `If nobody answers within ${consentSeconds} seconds`,
  silenceChoices: { refuse: 'Refuse', allow: 'Allow' },
  except: 'Except for people who may',
  exceptHint: 'People with this right on the device are not asked.',
  nobody: 'No exception',
  edit: 'Edit',
  editTitle: (name: string) => `Edit ${name}`,
  remove: 'Delete policy',
  removeTitle: (name: string) => `Delete ${name}?`,
  removeHint: 'Visits that begin from now on no longer ask because of it.',
  answersTitle: 'Consent',
  atDevice: {
    none: 'Nobody is asked before your visits.',
    asked: (subject: ConsentSubject) => subjects[subject],
    by: (mode: ConsentMode, policies: readonly string[]) =>
      policies.length === 0 ? modes.never : `${modes[mode]} (${list.format(policies)})`,
    silence: 'Allowed if nobody answers.',
    cannotAsk: 'The agent of this device cannot ask. Terminals and files that need an answer are refused.',
    standing: (person: string, visitor: string, subject: ConsentSubject, until: string) =>
      `${person} allows ${visitor}: ${subjects[subject].toLowerCase()}, until ${until}.`,
    always: (person: string) => `${person} wants to be asked each time.`,
    clear: 'Remove these answers',
  },
  asking: (device: string) => `Asking the person at ${device}…`,
  left: (seconds: number) => `${plural(seconds, 'second', 'seconds')} left to answer.`,
  policy: (policies: readonly string[]) => `Policy: ${list.format(policies)}.`,
  refusedTitle: 'No access to the files',
} as const
