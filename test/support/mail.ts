import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'
import { until } from './until.ts'

/** Message as seen by its recipient. */
export interface ReceivedMail {
  to: string[]
  subject: string
  from: string
  text: string
  html: string
  /** Value of a header; empty without it. */
  header(name: string): string
}

/** Real mail server that stores received messages. */
export interface MailServer {
  /** Server settings that send mail to this mail server. */
  settings: Record<string, string>
  received: ReceivedMail[]
  /** Waits for the next mail to an address, with a text in its subject, and removes it. */
  next(to: string, subject?: string): Promise<ReceivedMail>
  close(): Promise<void>
}

const decoders: Record<string, (body: string) => string> = {
  'quoted-printable': (body) =>
    Buffer.from(
      body
        .replaceAll(/=\r?\n/g, '')
        .replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
      'latin1',
    ).toString(),
  base64: (body) => Buffer.from(body, 'base64').toString(),
}

function splitHead(message: string) {
  const end = message.indexOf('\r\n\r\n')
  const head = message.slice(0, end).replaceAll(/\r\n\s+/g, ' ')
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim() ?? ''
  return { header, body: message.slice(end + 4) }
}

function parse(raw: string, to: string[]): ReceivedMail {
  const { header, body } = splitHead(raw)
  const boundary = /boundary="([^"]+)"/.exec(header('content-type'))?.[1] ?? ''
  const partOf = (type: string) => {
    const part = body
      .split(`--${boundary}`)
      .map((piece) => splitHead(piece.trimStart()))
      .find((piece) => piece.header('content-type').startsWith(type))
    const decode = decoders[part?.header('content-transfer-encoding') ?? ''] ?? ((plain: string) => plain)
    return decode(part?.body ?? '').trim()
  }
  return {
    to,
    subject: header('subject'),
    from: header('from'),
    text: partOf('text/plain'),
    html: partOf('text/html'),
    header,
  }
}

/** Starts a mail server; without options it accepts unauthenticated mail without TLS. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    ...options,
    onData(stream, session, callback) {
      const to = session.envelope.rcptTo.map(({ address }) => address)
      const keep = (raw: string) => {
        received.push(parse(raw, to))
        callback()
      }
      // A server that is killed while it sends leaves a part of a mail, which counts as none.
      text(stream).then(keep, () => {})
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  // Ignores errors of clients that disconnect early, which some tests cause.
  server.on('error', () => {})
  const { port } = server.server.address() as AddressInfo
  return {
    settings: {
      AppOptions__SmtpHost: '127.0.0.1',
      AppOptions__SmtpPort: String(port),
      AppOptions__SmtpEmail: 'farhand@example.org',
      AppOptions__SmtpDisplayName: 'Farhand of Example',
    },
    received,
    next: async (to, subject = '') => {
      const mail = await until(() => received.find((each) => each.to.includes(to) && each.subject.includes(subject)))
      received.splice(received.indexOf(mail), 1)
      return mail
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Starts a mail server for the current test. */
export async function useMailServer(options?: SMTPServerOptions): Promise<MailServer> {
  const server = await startMailServer(options)
  onTestFinished(() => server.close())
  return server
}

/** Link in a mail. */
export const linkIn = ({ text: words }: ReceivedMail): URL => new URL(/https?:\/\/\S+/.exec(words)![0])
