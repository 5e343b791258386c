import { UniqueConstraintError } from 'sequelize'
import { dayMs } from '../../shared/durations.ts'
import { actorOfUser } from '../ground/actor.ts'
import { issueTicket, readTicket, type Ticket, type TicketPurpose } from '../credentials/tickets.ts'
import type { App, OpenCall, RouteCall } from '../call/call.ts'
import { countedAddress } from '../engines/http/web/remote-address.ts'
import { AppError, badRequest, invalid, unauthorized } from '../ground/errors.ts'
import type { InviteRow, UserRow } from '../people/tables.ts'
import { keptOf, type Kept } from '../ground/principal.ts'
import { requireAddressChange, takeUnaskedMail } from './mail-budget.ts'
import { mailedOrigin } from '../network/addresses.ts'
import { mailSender } from '../people/notice-mail.ts'
import { notifyOwner } from '../people/notices.ts'
import { userTarget } from '../people/users.ts'
import { changeCredentials } from './changed-credentials.ts'
import { confirmEmailMail, inviteMail, resetPasswordMail, testMail } from './mail-templates.ts'
import { findByEmail } from './sign-in.ts'

/** Lifetime of a mailed code. */
const codeLifetimeMs = dayMs

/** Path of confirmation links; served even when the stock identity endpoints are disabled. */
const confirmationPath = '/api/appliance/v1/email-confirmation'

type Asker = Pick<OpenCall, 'app' | 'actor'>

/** Records the request of a visitor for a mail, also about an unknown address. */
const recordRequest = (
  { app, actor }: Asker,
  kind: 'account.reset-requested' | 'account.confirmation-requested',
  user: UserRow | undefined,
) => app.audit.note(actor, { kind, tenantId: user?.tenantId ?? null, target: userTarget(user) })

/** Sender of a mail that a visitor asks for, who may be anybody: not the account that owns the address. */
const visitorOf = ({ actor }: Asker) => ({ id: countedAddress(actor.remoteAddress ?? '') })

/** Encodes codes in base64url, which no mail program changes. `codeFrom` accepts both encodings. */
const inLink = (code: string) => Buffer.from(code).toString('base64url')

/** Decodes a code that was pasted or followed. */
export const codeFrom = (text: string): string =>
  text.startsWith('s1.') ? text : Buffer.from(text, 'base64url').toString()

/** Replacement of a user's address, and the credentials that survive the change. */
interface Change {
  changedEmail?: string
  kept?: Kept
}

/** Link that confirms the user's address, or a new address. */
function confirmationLink(app: App, user: UserRow, { changedEmail, kept }: Change) {
  const purpose = changedEmail === undefined ? 'confirm-email' : 'change-email'
  const about = { email: changedEmail ?? user.email, kept }
  const code = issueTicket(app, purpose, user, codeLifetimeMs, about)
  const query = new URLSearchParams({ userId: user.id, code: inLink(code), ...(changedEmail && { changedEmail }) })
  return `${mailedOrigin(app)}${confirmationPath}?${query.toString()}`
}

function confirmationMail(app: App, user: UserRow, change: Change = {}) {
  return {
    to: change.changedEmail ?? user.email,
    ...confirmEmailMail(app.config.branding.brandName, confirmationLink(app, user, change)),
  }
}

/** Mails a confirmation link in the background; none to an address that got too many. */
export function sendConfirmation({ app }: Pick<OpenCall, 'app'>, user: UserRow): void {
  app.mail.inBackground(user.id, async () =>
    takeUnaskedMail(app, 'confirm', user.email, user) ? confirmationMail(app, user) : undefined,
  )
}

/**
 * Mails a link that replaces the caller's address, none to an address that got too many. The caller's own credential
 * survives the change. Callers count the change before (`requireAddressChange`).
 */
export function sendEmailChange({ app, principal }: RouteCall, user: UserRow, changedEmail: string): void {
  const change = { changedEmail, kept: keptOf(principal) }
  app.mail.inBackground(user.id, async () =>
    takeUnaskedMail(app, 'change', changedEmail, user) ? confirmationMail(app, user, change) : undefined,
  )
}

/**
 * Mails the link again to an unconfirmed address of a user. The response time does not reveal whether a mail was sent.
 */
export function resendConfirmation(call: Asker, email: string): void {
  const { app } = call
  const visitor = visitorOf(call)
  app.mail.inBackground(visitor.id, async () => {
    const user = await findByEmail(app, email)
    recordRequest(call, 'account.confirmation-requested', user)
    return user && !user.isEmailConfirmed && takeUnaskedMail(app, 'confirm-again', user.email, visitor)
      ? confirmationMail(app, user)
      : undefined
  })
}

/** Mails a reset link to a confirmed address of a user. The response time does not reveal whether a mail was sent. */
export function sendPasswordReset(call: Asker, email: string): void {
  const { app } = call
  const visitor = visitorOf(call)
  app.mail.inBackground(visitor.id, async () => {
    const user = await findByEmail(app, email)
    recordRequest(call, 'account.reset-requested', user)
    if (!user?.isEmailConfirmed || user.disabledAt !== null || !takeUnaskedMail(app, 'reset', user.email, visitor)) {
      return undefined
    }
    const code = issueTicket(app, 'reset-password', user, codeLifetimeMs)
    const link = `${mailedOrigin(app)}/Account/ResetPassword?code=${inLink(code)}`
    return { to: user.email, ...resetPasswordMail(mailSender(app, user.tenantId), link) }
  })
}

/** Page that explains the certificate behind a link; undefined where browsers trust it, as at a configured public address. */
async function trustPageFor({ config, tls }: App, link: string): Promise<string | undefined> {
  const { protocol, origin } = new URL(link)
  const isPublic = config.branding.publicUrl !== undefined && new URL(config.branding.publicUrl).origin === origin
  return protocol === 'https:' && !isPublic && (await tls()).certificate().source === 'authority'
    ? `${origin}/trust`
    : undefined
}

/** Mails an invite with its link in the background; none to an address that got too many, which its inviter is not told. */
export function sendInvite(
  { app, principal }: Pick<RouteCall, 'app' | 'principal'>,
  { inviteeEmail, tenantId }: InviteRow,
  link: string,
): void {
  app.mail.inBackground(principal.id, async () => {
    if (!takeUnaskedMail(app, 'invite', inviteeEmail, { id: principal.id, tenantId })) {
      return undefined
    }
    const trustPage = await trustPageFor(app, link)
    return { to: inviteeEmail, ...inviteMail(mailSender(app, tenantId), { link, trustPage }) }
  })
}

/** Sends a test message to the principal, and throws when the message cannot be sent. */
export async function sendTestMail({ app, principal }: RouteCall): Promise<void> {
  const user = principal.kind === 'User' ? await app.models.User.findByPk(principal.id) : null
  if (!user) {
    throw badRequest('Only a user has an address that a test message can be sent to.')
  }
  try {
    const sender = mailSender(app, user.tenantId)
    await app.mail.send({ to: user.email, ...testMail(sender, mailedOrigin(app)) })
  } catch (error) {
    if (error instanceof AppError) {
      throw error
    }
    app.log.warn({ err: error }, 'A test mail could not be sent.')
    throw new AppError(500, `The test message could not be sent: ${(error as Error).message}`)
  }
}

const badLink = () => unauthorized('This link is not valid, or was used before.')

interface NewAddress {
  email: string
  isEmailConfirmed: boolean
}

/**
 * Replaces the address, and the user name too when the user name was the old address. Returns false for an address that
 * another user has.
 */
async function changeEmail(
  { app, actor, principal }: OpenCall,
  user: UserRow,
  address: NewAddress,
  kept: Kept | undefined,
): Promise<boolean> {
  const { email } = address
  const namesake = await findByEmail(app, email)
  if (
    namesake?.accountType === 'Interactive' &&
    namesake.id !== user.id &&
    app.config.appOptions.requireUserUniqueEmail
  ) {
    return false
  }
  const userName = user.userName === user.email ? email : user.userName
  // The address may be somebody else's, as one that is registered, unless its link is opened by whoever is signed in as the user.
  const isOwn = address.isEmailConfirmed && principal?.id === user.id
  const isUnproven = user.isUnproven || (!isOwn && app.config.appOptions.enablePublicRegistration)
  try {
    await changeCredentials(
      app,
      user.id,
      { ...address, userName, isUnproven },
      {
        kept,
        together: async (transaction) => {
          await notifyOwner(app, transaction, user, { kind: 'email-changed', subject: email, by: kept })
          await app.audit.recordIn(transaction, actorOfUser(actor, user), [
            { kind: 'account.email-changed', target: userTarget(user), details: { before: user.email, after: email } },
          ])
        },
      },
    )
    return true
  } catch (error) {
    if (error instanceof UniqueConstraintError) {
      return false
    }
    throw error
  }
}

/**
 * Changes the caller's address: where mail is on, a link is mailed that confirms the new one, otherwise at once. For the
 * current address, an unconfirmed one gets its link again. Returns whether a link was mailed.
 */
export async function requestEmailChange(call: RouteCall, user: UserRow, email: string): Promise<boolean> {
  const { app, principal } = call
  if (email === user.email) {
    if (app.mail.isOn && !user.isEmailConfirmed) {
      requireAddressChange(app, user.id)
      sendConfirmation(call, user)
      return true
    }
    return false
  }
  if (app.mail.isOn) {
    requireAddressChange(app, user.id)
    sendEmailChange(call, user, email)
    return true
  }
  if (app.config.appOptions.requireUserEmailConfirmation) {
    throw badRequest('This server asks for confirmed addresses but sends no e-mail: the address cannot be changed.')
  }
  if (!(await changeEmail(call, user, { email, isEmailConfirmed: false }, keptOf(principal)))) {
    throw invalid({ email: ['is already taken'] })
  }
  return false
}

const fits = (ticket: Ticket | undefined, userId: string, email: string) =>
  ticket?.userId === userId && ticket.email === email

/** Confirms an address with the code of its link. Throws 401 for a wrong or used code. */
export async function confirmEmail(call: OpenCall, userId: string, code: string, changedEmail?: string): Promise<void> {
  const { app, actor } = call
  const purpose: TicketPurpose = changedEmail === undefined ? 'confirm-email' : 'change-email'
  const ticket = readTicket(app, purpose, codeFrom(code))
  const user = ticket && (await app.models.User.findByPk(ticket.userId))?.get({ plain: true })
  if (!user || !fits(ticket, userId.toLowerCase(), changedEmail ?? user.email)) {
    throw badLink()
  }
  if (changedEmail !== undefined) {
    if (!(await changeEmail(call, user, { email: changedEmail, isEmailConfirmed: true }, ticket.kept))) {
      throw badLink()
    }
    return
  }
  if (user.isEmailConfirmed) {
    throw badLink()
  }
  await app.database.write(async (transaction) => {
    await app.models.User.update({ isEmailConfirmed: true }, { where: { id: user.id }, transaction })
    await app.audit.recordIn(transaction, actorOfUser(actor, user), [
      { kind: 'account.email-confirmed', target: userTarget(user) },
    ])
  })
}
