import type { Message } from '../../mailer.ts'

type Content = Omit<Message, 'to'>

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => escapes[character]!)

/** Renders paragraphs as plain text and as HTML; a paragraph that is an http(s) address becomes a link. */
function content(subject: string, paragraphs: readonly string[]): Content {
  const html = paragraphs
    .map((paragraph) =>
      /^https?:\/\/\S+$/.test(paragraph)
        ? `<p><a href="${escaped(paragraph)}">${escaped(paragraph)}</a></p>`
        : `<p>${escaped(paragraph)}</p>`,
    )
    .join('\n')
  return {
    subject,
    text: `${paragraphs.join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en"><body style="font-family:sans-serif">\n${html}\n</body></html>\n`,
  }
}

const ignore = 'If you did not ask for this, you can ignore this message: nothing changes.'

export const confirmEmailMail = (brand: string, link: string): Content =>
  content(`Confirm your email address for ${brand}`, [
    `Please confirm that this address is yours. The link works once, within 24 hours.`,
    link,
    ignore,
  ])

export const resetPasswordMail = (brand: string, link: string): Content =>
  content(`Reset your password for ${brand}`, [
    `Somebody asked for a new password for your account. The link works once, within 24 hours.`,
    link,
    ignore,
  ])

export const inviteMail = (brand: string, organization: string, link: string): Content =>
  content(`You are invited to ${organization} on ${brand}`, [
    `You are invited to manage devices of ${organization} with ${brand}. Choose a password to accept. The link works once, within 7 days.`,
    link,
    'If you do not know who invited you, you can ignore this message.',
  ])

export const changedFactorsMail = (brand: string, what: string, link: string): Content =>
  content(`The ways to sign in to your ${brand} account changed`, [
    `${what} Your other sessions were ended.`,
    'If this was not you, reset your password now and look at the ways to sign in to your account:',
    link,
  ])

export const testMail = (brand: string, origin: string): Content =>
  content(`Test message from ${brand}`, [
    `This is a test message. ${brand} can send e-mail.`,
    `It was sent by the server at this address:`,
    origin,
  ])
