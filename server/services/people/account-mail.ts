import { UniqueConstraintError } from 'sequelize'
import { issueTicket, readTicket, type Ticket, type TicketPurpose } from '../../auth/tickets.ts'
import type { App, OpenCall, OpenRouteCall, RouteCall } from '../../call.ts'
import { AppError, badRequest, unauthorized } from '../../errors.ts'
import type { UserRow } from '../../models/user.ts'
import { changeCredentials, keptOf, type Kept } from './changed-credentials.ts'
import { confirmEmailMail, resetPasswordMail, testMail } from './mail-templates.ts'
import { findByEmail } from './sign-in.ts'

/** For how long a mailed code is good. */
const codeLifetimeMs = 24 * 60 * 60 * 1000

/** Where a link confirms an address; there whether or not the stock identity endpoints are. */
const confirmationPath = '/api/appliance/v1/email-confirmation'

type Caller = Pick<OpenRouteCall, 'app' | 'mailOrigin'>

/** Codes are mailed as base64url, which no mail program changes; they are read with and without it. */
const inLink = (code: string) => Buffer.from(code).toString('base64url')

/** The code that was pasted or followed, as it was issued. */
export const codeFrom = (text: string): string =>
  text.startsWith('s1.') ? text : Buffer.from(text, 'base64url').toString()

/** An address that shall take the place of the user's, and what goes on when it does. */
interface Change {
  changedEmail?: string
  kept?: Kept
}

/** A link that confirms an address: that of the user, or the one that shall take its place. */
function confirmationLink(app: App, origin: string, user: UserRow, { changedEmail, kept }: Change) {
  const purpose = changedEmail === undefined ? 'confirm-email' : 'change-email'
  const about = { email: changedEmail ?? user.email, kept }
  const code = issueTicket(app, purpose, user, codeLifetimeMs, about)
  const query = new URLSearchParams({ userId: user.id, code: inLink(code), ...(changedEmail && { changedEmail }) })
  return `${origin}${confirmationPath}?${query.toString()}`
}

function confirmationMail(app: App, origin: string, user: UserRow, change: Change = {}) {
  const { brandName } = app.config.branding
  return {
    to: change.changedEmail ?? user.email,
    ...confirmEmailMail(brandName, confirmationLink(app, origin, user, change)),
  }
}

/** Mails the link that confirms an address; nobody waits for it. */
export function sendConfirmation({ app, mailOrigin }: Caller, user: UserRow): void {
  const ours = mailOrigin()
  app.mail.inBackground(() => Promise.resolve(confirmationMail(app, ours, user)))
}

/** Mails the link that puts another address in the place of the caller's. What the caller asks with outlives it. */
export function sendEmailChange({ app, mailOrigin, principal }: RouteCall, user: UserRow, changedEmail: string): void {
  const ours = mailOrigin()
  const change = { changedEmail, kept: keptOf(principal) }
  app.mail.inBackground(() => Promise.resolve(confirmationMail(app, ours, user, change)))
}

/**
 * Mails the link again, where somebody has this address and has not confirmed it. Its duration does not tell whether it
 * was sent.
 */
export function resendConfirmation({ app, mailOrigin }: Caller, email: string): void {
  const ours = mailOrigin()
  app.mail.inBackground(async () => {
    const user = await findByEmail(app, email)
    return user && !user.isEmailConfirmed ? confirmationMail(app, ours, user) : undefined
  })
}

/** Mails a reset link, where somebody has confirmed this address. Its duration does not tell whether it was sent. */
export function sendPasswordReset({ app, mailOrigin }: Caller, email: string): void {
  const ours = mailOrigin()
  app.mail.inBackground(async () => {
    const user = await findByEmail(app, email)
    if (!user?.isEmailConfirmed) {
      return undefined
    }
    const code = issueTicket(app, 'reset-password', user, codeLifetimeMs)
    const link = `${ours}/Account/ResetPassword?code=${inLink(code)}`
    return { to: user.email, ...resetPasswordMail(app.config.branding.brandName, link) }
  })
}

/** Sends a message to the principal, who is told the result. */
export async function sendTestMail({ app, principal, mailOrigin }: RouteCall): Promise<void> {
  const user = principal.kind === 'User' ? await app.models.User.findByPk(principal.id) : null
  if (!user) {
    throw badRequest('Only a user has an address that a test message can be sent to.')
  }
  try {
    await app.mail.send({ to: user.email, ...testMail(app.config.branding.brandName, mailOrigin()) })
  } catch (error) {
    if (error instanceof AppError) {
      throw error
    }
    app.log.warn({ err: error }, 'A test mail could not be sent.')
    throw new AppError(500, `The test message could not be sent: ${(error as Error).message}`)
  }
}

const badLink = () => unauthorized('This link is not valid, or was used before.')

/** Puts a confirmed address in the place of the old one, as user name too where the old one was that. */
async function changeEmail(app: App, user: UserRow, email: string, kept: Kept | undefined) {
  const namesake = await findByEmail(app, email)
  if (namesake && namesake.id !== user.id && app.config.appOptions.requireUserUniqueEmail) {
    throw badLink()
  }
  const userName = user.userName === user.email ? email : user.userName
  try {
    await changeCredentials(app, user.id, { email, userName, isEmailConfirmed: true }, { kept })
  } catch (error) {
    throw error instanceof UniqueConstraintError ? badLink() : error
  }
}

const fits = (ticket: Ticket | undefined, userId: string, email: string) =>
  ticket?.userId === userId && ticket.email === email

/** Confirms an address with the code of its link. Throws 401 for one that does not fit, or was used before. */
export async function confirmEmail(
  { app }: OpenCall,
  userId: string,
  code: string,
  changedEmail?: string,
): Promise<void> {
  const purpose: TicketPurpose = changedEmail === undefined ? 'confirm-email' : 'change-email'
  const ticket = readTicket(app, purpose, codeFrom(code))
  const user = ticket && (await app.models.User.findByPk(ticket.userId))?.get({ plain: true })
  if (!user || !fits(ticket, userId.toLowerCase(), changedEmail ?? user.email)) {
    throw badLink()
  }
  if (changedEmail !== undefined) {
    await changeEmail(app, user, changedEmail, ticket.kept)
    return
  }
  if (user.isEmailConfirmed) {
    throw badLink()
  }
  await app.database.write((transaction) =>
    app.models.User.update({ isEmailConfirmed: true }, { where: { id: user.id }, transaction }),
  )
}
