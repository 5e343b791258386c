import { inviteDays } from '../../shared/dtos/invite.ts'
import { mailContent, type MailContent, type MailSender } from '../people/mailer.ts'

const ignore = 'If you did not ask for this, you can ignore this message: nothing changes.'

/** The address may be a stranger's, and the owner of an organization chooses its name: the mail does not name it (T44). */
export const confirmEmailMail = (brand: string, link: string): MailContent =>
  mailContent({ brand }, `Confirm your email address for ${brand}`, [
    `Please confirm that this address is yours. The link works once, within 24 hours.`,
    link,
    ignore,
  ])

export const resetPasswordMail = (sender: MailSender, link: string): MailContent =>
  mailContent(sender, `Reset your password for ${sender.brand}`, [
    `Somebody asked for a new password for your account. The link works once, within 24 hours.`,
    link,
    ignore,
  ])

interface InviteMail {
  link: string
  /** Page that explains how a computer trusts the certificate; undefined for a certificate that browsers trust. */
  trustPage: string | undefined
}

export const inviteMail = (sender: MailSender, { link, trustPage }: InviteMail): MailContent =>
  mailContent(sender, `You are invited to ${sender.organization} on ${sender.brand}`, [
    `You are invited to manage devices of ${sender.organization} with ${sender.brand}.`,
    ...(trustPage === undefined
      ? []
      : [
          'First let your computer trust this server: its certificate is from its own authority, so browsers warn of it until then. This page shows how, and the fingerprint to compare with the person who invited you:',
          trustPage,
        ]),
    `${trustPage === undefined ? 'Choose' : 'Then choose'} a password to accept. The link works once, within ${inviteDays} days.`,
    link,
    'If you do not know who invited you, you can ignore this message.',
  ])

export const testMail = (sender: MailSender, origin: string): MailContent =>
  mailContent(sender, `Test message from ${sender.brand}`, [
    `This is a test message. ${sender.brand} can send e-mail.`,
    `It was sent by the server at this address:`,
    origin,
  ])
