import { mailContent, type MailContent } from '../../mailer.ts'
import type { UserNoticeRow } from '../../models/user-notice.ts'

type News = Pick<UserNoticeRow, 'kind' | 'byName' | 'subject' | 'createdAt'>

const sentences: Partial<Record<UserNoticeRow['kind'], (by: string, subject: string) => string>> = {
  'password-reset': (by) => `${by} reset your password.`,
  'access-token-created': (by, name) => `${by} made the access token "${name}" for you. It can act in your name.`,
  'password-changed': () => 'Your password was changed.',
  'email-changed': (_, address) => `The address of your account was changed to ${address}.`,
  'two-factor-enabled': () => 'Two-factor authentication was turned on.',
  'two-factor-disabled': () => 'Two-factor authentication was turned off.',
  'recovery-codes-renewed': () => 'New recovery codes were made. The earlier ones no longer work.',
  'own-token-created': (_, name) => `The access token "${name}" was made. It can act in your name.`,
  'password-reset-by-command': (by) => `${by} reset your password.`,
  'two-factor-disabled-by-command': (by) => `${by} turned off your two-factor authentication.`,
  'administrator-made-by-command': (by) => `${by} made you an administrator.`,
  'token-revoked': (by, name) => `${by} revoked the access token "${name}".`,
  'passkey-added': (_, name) => `The passkey "${name}" was added. It signs in without your password.`,
  'passkey-removed': (_, name) => `The passkey "${name}" was removed.`,
  'provider-linked': (_, name) => `The account ${name} was linked. It signs in without your password.`,
  'backup-old': () => 'No backup of this server was made for two days. The Backup page says why.',
  'provider-unlinked': (_, name) => `The account ${name} was unlinked.`,
}

/** Whether a notice concerns the account of its receiver. Administrators get some about others, which are not mailed. */
export const isOwnNotice = ({ kind, subject }: Pick<News, 'kind' | 'subject'>, email: string): boolean =>
  !kind.endsWith('-by-command') || subject === email

/** Mail about a change of an account; undefined for changes that are not mailed. */
export function noticeMail(brand: string, { kind, byName, subject, createdAt }: News): MailContent | undefined {
  const sentence = sentences[kind]?.(byName, subject ?? '')
  return sentence === undefined
    ? undefined
    : mailContent(`Your account at ${brand} was changed`, [
        sentence,
        `This happened at ${new Date(createdAt).toUTCString()}.`,
        'If this was not you, change your password, end your other sessions, and ask an administrator for help.',
      ])
}
