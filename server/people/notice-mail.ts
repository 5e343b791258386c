import { mailContent, type MailContent, type MailSender } from './mailer.ts'
import type { App } from '../call/call.ts'
import { found } from '../ground/errors.ts'
import type { UserNoticeRow } from './tables.ts'

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
  'provider-unlinked': (_, name) => `The account ${name} was unlinked.`,
  'contact-method-added': (_, name) => `The contact method "${name}" was added. It gets your alerts.`,
}

/** Mails to administrators about the server, each with its subject. */
const ofServer: Partial<Record<UserNoticeRow['kind'], (subject: string) => [subject: string, sentence: string]>> = {
  'backup-old': () => [
    'No backup for two days',
    'No backup of this server was made for two days. The Backup page says why.',
  ],
  'server-updated': (version) => [
    `Updated to version ${version}`,
    `The server was updated to version ${version}. The section Version of the Server page can go back.`,
  ],
  'server-update-failed': (reason) => [
    'An update failed',
    `The update of the server failed, and the previous version is running. ${reason}`,
  ],
  'server-went-back': (version) => [
    `Went back to version ${version}`,
    `The server went back to version ${version}. The section Version of the Server page says what became of the data.`,
  ],
}

/** Whether a notice concerns the account of its receiver. Administrators get some about others, which are not mailed. */
export const isOwnNotice = ({ kind, subject }: Pick<News, 'kind' | 'subject'>, email: string): boolean =>
  !kind.endsWith('-by-command') || subject === email

/** Product and organization that a mail to a user of a tenant names. */
export const mailSender = ({ config, tenants }: App, tenantId: string): MailSender => ({
  brand: config.branding.brandName,
  organization: found(tenants.get(tenantId), 'tenant').name,
})

/** Mail about a change of an account or about the server; undefined for changes that are not mailed. */
export function noticeMail(sender: MailSender, { kind, byName, subject, createdAt }: News): MailContent | undefined {
  const time = `This happened at ${new Date(createdAt).toUTCString()}.`
  const server = ofServer[kind]?.(subject ?? '')
  if (server) {
    return mailContent(sender, `${sender.brand}: ${server[0]}`, [server[1], time])
  }
  const sentence = sentences[kind]?.(byName, subject ?? '')
  return sentence === undefined
    ? undefined
    : mailContent(sender, `Your account at ${sender.brand} was changed`, [
        sentence,
        time,
        'If this was not you, change your password, end your other sessions, and ask an administrator for help.',
      ])
}
