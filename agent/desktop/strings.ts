const list = new Intl.ListFormat('en')
const clause = (names: readonly string[], one: string, several: string) =>
  names.length > 0 ? [`${list.format(names)} ${names.length > 1 ? several : one}`] : []

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
  ofOrganization: (name: string, organization: string) => `${name} of ${organization}`,
  you: 'You',
  somebody: 'Somebody',
  consentTitle: 'Remote control',
  consentQuestion: (name: string) => `${name} asks to see this screen and to use your pointer and keyboard.`,
  consentLookOnly: (name: string) => `${name} asks to see this screen.`,
  consentAllow: 'Allow',
  consentDecline: 'Decline',
  consentCountdown: 'Declined automatically in {seconds} s.',
  consentAllowed: 'Allowed. You can close this window.',
  consentDeclined: 'Declined. You can close this window.',
  consentLate: 'The request timed out and was declined. You can close this window.',
  noticeText: (controlling: readonly string[], watching: readonly string[], isRecorded: boolean) =>
    `${[...clause(controlling, 'controls', 'control'), ...clause(watching, 'sees', 'see')].join(', ')} this screen${isRecorded ? ' and records it' : ''}.`,
  others: (count: number) => (count === 1 ? 'one other' : `${count} others`),
  endSession: 'End session',
  endAll: 'End all',
  windowUsed: 'This address works only once. Close this window.',
} as const
