import type { ClipboardKind } from '../../shared/remote-control/clipboard.ts'

const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const list = new Intl.ListFormat('en')
const clause = (names: readonly string[], one: string, several: string) =>
  names.length > 0 ? [`${list.format(names)} ${names.length > 1 ? several : one}`] : []

/** Deeds of visitors, in front of the name of a file if there is one. */
const visitVerbs = {
  control: 'controlled this screen',
  viewing: 'saw this screen',
  vnc: 'used a screen by VNC',
  terminal: 'had a terminal',
  command: 'ran a command',
  files: 'looked into files',
  written: 'put here the file',
  read: 'fetched',
  deleted: 'deleted',
  folder: 'made the folder',
  changed: 'copied, moved, added or changed files',
  restart: 'restarted this device',
  shutdown: 'shut down this device',
} as const

/** Kinds of what is on a clipboard, in a list. */
const copies: Record<ClipboardKind, string> = { text: 'text', picture: 'pictures', files: 'files' }

/** Texts in windows shown to the person at the device. */
export const strings = {
  chatTitle: (name: string) => `Message from ${name}`,
  chatIntroduction: (name: string) => `${name} looks after this device and writes to you.`,
  chatPlaceholder: 'Your answer',
  chatSend: 'Send',
  chatOver: (name: string) => `${name} has closed the chat. You can close this window.`,
  /** Shown to the viewer. */
  chatClosed: 'The chat window was closed.',
  notDelivered: 'Not delivered: nobody reads this chat at the moment.',
  /** Name with the organization, which is empty on servers of other makes, and the same as that of an owner who named none. */
  ofOrganization: (name: string, organization: string) =>
    organization === '' || organization === name ? name : `${name} of ${organization}`,
  you: 'You',
  somebody: 'Somebody',
  consentTitle: { control: 'Remote control', viewing: 'Remote control', terminal: 'Terminal', files: 'Files' },
  consentQuestion: {
    control: (name: string) => `${name} asks to see this screen and to use your pointer and keyboard.`,
    viewing: (name: string) => `${name} asks to see this screen.`,
    terminal: (name: string) => `${name} asks to run commands on this device.`,
    files: (name: string) => `${name} asks to read and change files on this device.`,
  },
  consentAllow: 'Allow',
  consentAllowHour: 'Allow for an hour',
  consentAllowToday: 'Allow today',
  consentDecline: 'Decline',
  consentAlways: 'Always ask me',
  consentCountdown: 'Declined automatically in {seconds} s.',
  consentCountdownAllows: 'Allowed automatically in {seconds} s.',
  consentAllowed: 'Allowed. You can close this window.',
  consentAllowedHour: 'Allowed for an hour. You can close this window.',
  consentAllowedToday: 'Allowed until midnight. You can close this window.',
  consentLateAllowed: 'Allowed, because there was no answer. You can close this window.',
  consentDeclined: 'Declined. You can close this window.',
  consentLate: 'The request timed out and was declined. You can close this window.',
  power: {
    restart: {
      title: 'Restart of this device',
      question: (name: string) => `${name} wants to restart this device. Save your work: unsaved work is lost.`,
      now: 'Restart now',
      countdown: 'Without an answer, it restarts in {seconds} s.',
    },
    shutdown: {
      title: 'Shutdown of this device',
      question: (name: string) => `${name} wants to shut down this device. Save your work: unsaved work is lost.`,
      now: 'Shut down now',
      countdown: 'Without an answer, it shuts down in {seconds} s.',
    },
    hour: 'In an hour',
    tonight: (at: number) => `Tonight, ${time.format(at)}`,
    decline: 'Not today',
    outcomes: {
      now: 'It begins now.',
      hour: 'You will be told again in an hour. You can close this window.',
      tonight: 'Delayed until tonight. You can close this window.',
      declined: 'It will not happen today. You can close this window.',
      silent: 'It begins now.',
      canceled: 'It was canceled. You can close this window.',
      'not-asked': '',
    },
  },
  noticeText: (controlling: readonly string[], watching: readonly string[], isHeard: boolean, isRecorded: boolean) => {
    const visitors = [...clause(controlling, 'controls', 'control'), ...clause(watching, 'sees', 'see')].join(', ')
    const more = [...(isHeard ? [' and hears its sound'] : []), ...(isRecorded ? [' and records it'] : [])].join('')
    return `${visitors} this screen${more}.`
  },
  others: (count: number) => (count === 1 ? 'one other' : `${count} others`),
  visitsTitle: 'Visits to this device',
  visitsIntroduction: 'Who was here through remote control, terminals and files. What was typed is not kept.',
  noVisits: 'Nobody has visited this device yet.',
  visitTimes: (start: string, minutes: number) => `${start}, ${minutes} min`,
  visit: (name: string, kind: keyof typeof visitVerbs, detail: string) =>
    `${name} ${visitVerbs[kind]} ${detail}`.trim(),
  visitTyped: ', with keys and buttons',
  visitHeard: ', with its sound',
  visitClipboard: (pasted: readonly ClipboardKind[], copied: readonly ClipboardKind[]) =>
    [
      pasted.length > 0 && `, put ${list.format(pasted.map((kind) => copies[kind]))} on the clipboard`,
      copied.length > 0 && `, got ${list.format(copied.map((kind) => copies[kind]))} from the clipboard`,
    ]
      .filter((part) => part !== false)
      .join(''),
  endSession: 'End session',
  endAll: 'End all',
  windowUsed: 'This address works only once. Close this window.',
} as const
