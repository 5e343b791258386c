import { mailContent, type MailContent } from '../../mailer.ts'

const ignore = 'If you did not ask for this, you can ignore this message: nothing changes.'

export const confirmEmailMail = (brand: string, link: string): MailContent =>
  mailContent(`Confirm your email address for ${brand}`, [
    `Please confirm that this address is yours. The link works once, within 24 hours.`,
    link,
    ignore,
  ])

export const resetPasswordMail = (brand: string, link: string): MailContent =>
  mailContent(`Reset your password for ${brand}`, [
    `Somebody asked for a new password for your account. The link works once, within 24 hours.`,
    link,
    ignore,
  ])

interface InviteMail {
  brand: string
  organization: string
  link: string
  /** Page that explains how a computer trusts the certificate; undefined for a certificate that browsers trust. */
  trustPage: string | undefined
}

export const inviteMail = ({ brand, organization, link, trustPage }: InviteMail): MailContent =>
  mailContent(`You are invited to ${organization} on ${brand}`, [
    `You are invited to manage devices of ${organization} with ${brand}.`,
    ...(trustPage === undefined
      ? []
      : [
          'First let your computer trust this server: its certificate is from its own authority, so browsers warn of it until then. This page shows how, and the fingerprint to compare with the person who invited you:',
          trustPage,
        ]),
    `${trustPage === undefined ? 'Choose' : 'Then choose'} a password to accept. The link works once, within 7 days.`,
    link,
    'If you do not know who invited you, you can ignore this message.',
  ])

export const testMail = (brand: string, origin: string): MailContent =>
  mailContent(`Test message from ${brand}`, [
    `This is a test message. ${brand} can send e-mail.`,
    `It was sent by the server at this address:`,
    origin,
  ])
