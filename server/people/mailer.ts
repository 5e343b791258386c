import type { Config } from '../settings/config.ts'
import { AppError, badRequest } from '../ground/errors.ts'
import type { Log } from '../ground/log.ts'
import { isLoopbackHost } from '../ground/machine.ts'
import { Slots } from '../engines/outgoing/slots.ts'

interface Limits {
  /** Maximum number of mails that are sent at once, in all and of one sender; others wait. */
  atOnce: { total: number; share: number }
  /** Maximum number of mails that are sent or wait; more are dropped as abuse. */
  queued: { total: number; share: number }
}

/** Mails that are sent in the background. Each sender has a share, so that nobody uses up the places of others (T44). */
class MailQueue {
  readonly #queued: Limits['queued']
  readonly #slots: Slots
  readonly #bySender = new Map<string, Set<Promise<void>>>()
  #size = 0

  constructor({ atOnce, queued }: Limits) {
    this.#slots = new Slots(atOnce)
    this.#queued = queued
  }

  get size(): number {
    return this.#size
  }

  /** Sends a mail when its sender has a free slot. Returns false if too many are queued. */
  add(sender: string, deliver: () => Promise<void>): boolean {
    const ofSender = this.#bySender.get(sender) ?? new Set<Promise<void>>()
    if (ofSender.size >= this.#queued.share || this.#size >= this.#queued.total) {
      return false
    }
    this.#size += 1
    const work = this.#slots.run(sender, deliver).finally(() => {
      this.#size -= 1
      ofSender.delete(work)
      if (ofSender.size === 0) {
        this.#bySender.delete(sender)
      }
    })
    this.#bySender.set(sender, ofSender.add(work))
    return true
  }

  /** Waits for all mails that are queued now. */
  async finished(): Promise<void> {
    await Promise.all([...this.#bySender.values()].flatMap((works) => [...works]))
  }
}

export interface Message {
  to: string
  subject: string
  text: string
  html: string
  /** `Message-ID`, the same with each attempt; by default a new one. */
  messageId?: string
  headers?: Readonly<Record<string, string>>
}

export type MailContent = Pick<Message, 'subject' | 'text' | 'html'>

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => escapes[character]!)

/** Product, and organization whose account a mail is about. */
export interface MailSender {
  brand: string
  organization: string
}

/** A link that is shown as a button; in plain text, as its label and its address. */
export interface MailButton {
  label: string
  url: string
}

type Paragraph = string | MailButton

const buttonStyle =
  'display:inline-block;padding:10px 18px;border-radius:6px;background:#1c5fd4;color:#ffffff;text-decoration:none;font-weight:bold'

function htmlOf(paragraph: Paragraph): string {
  if (typeof paragraph !== 'string') {
    return `<p><a href="${escaped(paragraph.url)}" style="${buttonStyle}">${escaped(paragraph.label)}</a></p>`
  }
  const text = escaped(paragraph)
  return /^https?:\/\/\S+$/.test(paragraph) ? `<p><a href="${text}">${text}</a></p>` : `<p>${text}</p>`
}

const plainTextOf = (paragraph: Paragraph) =>
  typeof paragraph === 'string' ? paragraph : `${paragraph.label}: ${paragraph.url}`

/**
 * Renders paragraphs as plain text and as HTML; a paragraph that is an http(s) address becomes a link. The last one names
 * the sender.
 */
export function mailContent(
  { brand, organization }: Pick<MailSender, 'brand'> & Partial<MailSender>,
  subject: string,
  content: readonly Paragraph[],
): MailContent {
  const paragraphs = [
    ...content,
    organization === undefined ? `Sent by ${brand}.` : `Sent by ${brand} for ${organization}.`,
  ]
  const html = paragraphs.map(htmlOf).join('\n')
  return {
    subject,
    text: `${paragraphs.map(plainTextOf).join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en"><body style="font-family:sans-serif">\n${html}\n</body></html>\n`,
  }
}

const queued = { total: 10_000, share: 50 }
/** Limits of mails that somebody asks for, such as a reset of a password. */
const limitsOnDemand = { atOnce: { total: 100, share: 5 }, queued }
/** Limits of mails that notify of changes. */
const noticeLimits = { atOnce: { total: 20, share: 2 }, queued }

/** Servers delay their greeting against spam, Postfix's postscreen up to 30 s. */
const greetingTimeout = 40_000
/** The library counts the greeting as a part of connecting. */
const connectionTimeout = 10_000 + greetingTimeout
const timeouts = { dnsTimeout: 10_000, connectionTimeout, greetingTimeout, socketTimeout: 60_000 }

/** Explanations of the library's errors, which name no cause or a wrong one. */
const explanations: readonly [RegExp, string][] = [
  [
    /^Greeting never received/,
    `It sent no greeting within ${greetingTimeout / 1000} s. A server that expects TLS at once needs port 465.`,
  ],
  [/^Timeout$/, 'It stopped answering.'],
  [/^Connection closed unexpectedly/, 'It closed the connection before it took the message.'],
  [/^self-signed certificate|unable to (verify|get)/, 'This computer does not trust the issuer of its certificate.'],
  [/^certificate has expired/, 'Its certificate has expired.'],
  [/^Hostname\/IP does not match/, 'Its certificate is for another name than SmtpHost.'],
  [/STARTTLS: 4\d\d/, 'It offers TLS and refuses to begin it.'],
]

/** Names the cause of a failed delivery, followed by the server's own words where the library has them. */
function deliveryError(host: string, error: Error): Error {
  const found = explanations.find(([pattern]) => pattern.test(error.message))
  return found ? new Error(`${host}: ${found[1]} (${error.message.split(';')[0]})`, { cause: error }) : error
}

/**
 * Connection to the mail server. Passwords and reset codes are never sent in plain text, and never with an invalid
 * certificate, except to this machine: a relay there usually has no TLS, or a self-signed certificate for another name.
 */
function transportOptions(host: string, options: Config['appOptions']) {
  const { smtpPort, smtpUserName, smtpPassword, smtpLocalDomain } = options
  return {
    host,
    port: smtpPort,
    secure: smtpPort === 465,
    requireTLS: !isLoopbackHost(host),
    tls: { rejectUnauthorized: !isLoopbackHost(host), minVersion: 'TLSv1.2' as const },
    ...(smtpUserName && smtpPassword && { auth: { user: smtpUserName, pass: smtpPassword } }),
    ...(smtpLocalDomain && { name: smtpLocalDomain }),
    ...timeouts,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Runs the delivery of a mail to a mail server. */
export type AroundDelivery = <T>(host: string, port: number, deliver: () => Promise<T>) => Promise<T>

/** Sends mail through the configured server. */
export class Mailer {
  readonly #around: AroundDelivery
  readonly #options: Config['appOptions']
  readonly #log: Log
  readonly #onDemand = new MailQueue(limitsOnDemand)
  readonly #notices = new MailQueue(noticeLimits)
  #isClosing = false
  #lastProblem: string | undefined

  constructor({ config, log, around }: { config: Config; log: Log; around?: AroundDelivery | undefined }) {
    this.#options = config.appOptions
    this.#log = log
    this.#around = around ?? ((_host, _port, deliver) => deliver())
  }

  /** Number of mails that are sent in the background, or wait for that. */
  get running(): number {
    return this.#onDemand.size + this.#notices.size
  }

  /** Why the last mail was not accepted by the mail server; undefined if it was, or none was sent. */
  get lastProblem(): string | undefined {
    return this.#lastProblem
  }

  get isOn(): boolean {
    const { smtpHost, smtpEmail, smtpDisplayName, disableEmailSending } = this.#options
    return !disableEmailSending && Boolean(smtpHost && smtpEmail && smtpDisplayName)
  }

  /** Resolves when the mail server has accepted the message. Throws 400 if this server sends no mail. */
  async send(message: Message): Promise<void> {
    const { smtpHost, smtpEmail, smtpDisplayName, disableEmailSending } = this.#options
    if (disableEmailSending) {
      throw badRequest('Sending e-mail is turned off on this server: Service_AppOptions__DisableEmailSending.')
    }
    if (!smtpHost || !smtpEmail || !smtpDisplayName) {
      throw badRequest(
        'Sending e-mail is not set up on this server. Set Service_AppOptions__SmtpHost, __SmtpEmail and __SmtpDisplayName.',
      )
    }
    // Loaded on demand: most runs send no mail.
    const { createTransport } = await import('nodemailer')
    const transport = createTransport(transportOptions(smtpHost, this.#options))
    try {
      await this.#around(smtpHost, this.#options.smtpPort, () =>
        transport.sendMail({ ...message, from: { name: smtpDisplayName, address: smtpEmail } }),
      )
      this.#lastProblem = undefined
    } catch (error) {
      const explained = deliveryError(smtpHost, error as Error)
      this.#lastProblem = explained.message
      throw explained
    } finally {
      transport.close()
    }
  }

  /**
   * Sends a mail without a waiting caller, when its sender (an account, or the network address of a visitor) has a free
   * slot: `write` returns the message, if any. A failure is logged.
   */
  inBackground(sender: string, write: () => Promise<Message | undefined>): void {
    this.#enqueue(this.#onDemand, sender, write)
  }

  /** Sends a notice of a change of an account in the background. Mails that others ask for take none of its places (T31). */
  notify(accountId: string, message: Message): void {
    this.#enqueue(this.#notices, accountId, async () => message)
  }

  #enqueue(queue: MailQueue, sender: string, write: () => Promise<Message | undefined>): void {
    const deliver = () => this.#deliver(async () => (this.#isClosing ? undefined : write()))
    if (!queue.add(sender, deliver)) {
      this.#log.warn({ sender }, 'A mail was dropped: too many wait.')
    }
  }

  async #deliver(write: () => Promise<Message | undefined>): Promise<void> {
    try {
      const message = await write()
      if (message) {
        await this.send(message)
      }
    } catch (error) {
      if (error instanceof AppError) {
        this.#log.info({}, `A mail was not sent. ${error.message}`)
      } else {
        this.#log.warn({ err: error }, 'A mail could not be sent.')
      }
    }
  }

  /** Waits for the mails being sent. Drops those that wait: notices are on the page, other mails are asked for again. */
  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.all([this.#onDemand.finished(), this.#notices.finished()])
  }
}
