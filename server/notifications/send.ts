import type { App } from '../call/call.ts'
import { outgoingNetworks } from '../network/outgoing-networks.ts'
import { attempt, maxAnswer, type Outcome } from '../events/delivery-attempts.ts'
import { Slots } from '../engines/outgoing/slots.ts'
import { mailContent } from '../people/mailer.ts'
import { mailSender } from '../people/notice-mail.ts'
import { targetOf } from './contact-methods.ts'
import type { Message } from './message.ts'
import { services } from './services.ts'
import type { ContactMethodRow } from './tables.ts'
import { unsubscribeHeaders, unsubscribeLink } from './unsubscribe.ts'

/** Mails at once: mail servers limit connections, too. */
const mailSlots = new Slots({ total: 4, share: 2 })

const failed = (answer: string): Outcome => ({ isDelivered: false, status: null, answer: answer.slice(0, maxAnswer) })

async function sendChat(app: App, method: ContactMethodRow, tenantId: string, message: Message, signal?: AbortSignal) {
  const { service } = method
  if (service === 'mail') {
    throw new Error('Mail is no chat service.')
  }
  const { url, headers, body } = services[service].request(targetOf(app, method), message)
  const outcome = await attempt({
    tenantId,
    part: 'people',
    url,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': `Farhand/${app.version}`,
      'x-notification-id': message.id,
      ...headers,
    },
    body: JSON.stringify(body),
    ...outgoingNetworks(app),
    signal,
  })
  return { ...outcome, answer: outcome.answer.slice(0, maxAnswer) }
}

async function sendMail(app: App, userId: string, tenantId: string, message: Message): Promise<Outcome> {
  const user = await app.models.User.findByPk(userId)
  if (!user?.isEmailConfirmed) {
    return failed('The address of this account is not confirmed.')
  }
  const sender = mailSender(app, tenantId)
  const { id, title, lines, link } = message
  const content = mailContent(sender, title, [
    title,
    ...lines.filter((line) => line !== title),
    { label: link.text, url: link.url },
    'Stop these mails:',
    unsubscribeLink(app, userId),
  ])
  const host = app.config.appOptions.smtpEmail?.split('@')[1] ?? 'localhost'
  try {
    await mailSlots.run(tenantId, () =>
      app.mail.send({
        to: user.email,
        ...content,
        messageId: `<${id}@${host}>`,
        headers: unsubscribeHeaders(app, userId),
      }),
    )
    return { isDelivered: true, status: null, answer: 'The mail server accepted the message.' }
  } catch (error) {
    return failed((error as Error).message)
  }
}

/** Sends a message by a contact method. A mail that is being sent does not end with the signal. */
export const send = (
  app: App,
  method: ContactMethodRow,
  tenantId: string,
  message: Message,
  signal?: AbortSignal,
): Promise<Outcome> =>
  method.service === 'mail'
    ? sendMail(app, method.userId, tenantId, message)
    : sendChat(app, method, tenantId, message, signal)
