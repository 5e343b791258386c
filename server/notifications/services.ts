import type { ChatService } from '../../shared/dtos/contact-method.ts'
import { cutText } from '../../shared/cut-text.ts'
import { OutgoingError, parseTarget } from '../engines/outgoing/send-out.ts'

/** Address and secrets of a contact method. */
export interface Target {
  address: string
  token?: string | undefined
  chat?: string | undefined
}

export interface ChatMessage {
  title: string
  lines: readonly string[]
  /** Page to open, with its label. */
  link: { url: string; text: string }
  tone: 'urgent' | 'news' | 'good'
}

interface ServiceRequest {
  url: string
  headers?: Record<string, string> | undefined
  body: unknown
}

interface Service {
  /** Throws an `OutgoingError` with a sentence for a target that cannot be right. */
  check(target: Target): void
  request(target: Target, message: ChatMessage): ServiceRequest
}

const require = (isRight: boolean, sentence: string) => {
  if (!isRight) {
    throw new OutgoingError(sentence)
  }
}

const hasPath = ({ address }: Target) =>
  require(parseTarget(address).pathname.length > 1, 'The address of the webhook is incomplete: copy it whole.')

const textOf = ({ lines, link }: ChatMessage) => [...lines, link.url].join('\n')

/** Slack escapes three characters, and mentions everybody at `<!channel>`. */
const slackText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Backslashes before what Markdown reads as formatting or as an address: names of devices are texts of strangers (T03). */
const markdownText = (text: string) =>
  text.replaceAll(/[\\`*_[\]~|<>]|:(?=\/\/)|(?<=\bwww)\./gi, String.raw`\$&`).replace(/^\s*[#+-]/, String.raw`\$&`)

/** A message of ntfy has at most 4,096 bytes; priorities are 1 to 5. */
const ntfyPriorities = { urgent: 5, news: 3, good: 2 }
const ntfyTags = { urgent: 'rotating_light', news: 'warning', good: 'white_check_mark' }

/** Cuts a text to bytes of UTF-8. */
function cutBytes(text: string, bytes: number): string {
  const cut = Buffer.from(text).subarray(0, bytes).toString()
  return cut.replace(/\ufffd+$/, '')
}

/** Requests in the forms that the services document. */
export const services: Readonly<Record<ChatService, Service>> = {
  ntfy: {
    check({ address }) {
      const { pathname, search } = parseTarget(address)
      require(/^\/[-\w]{1,64}$/.test(pathname) &&
        search === '', 'The address must be that of a topic, such as https://ntfy.sh/my-topic.')
    },
    request({ address, token }, message) {
      const { origin, pathname } = parseTarget(address)
      return {
        url: origin,
        ...(token && { headers: { authorization: `Bearer ${token}` } }),
        body: {
          topic: pathname.slice(1),
          title: cutText(message.title, 200),
          message: cutBytes(message.lines.join('\n') || message.title, 4_000),
          priority: ntfyPriorities[message.tone],
          tags: [ntfyTags[message.tone]],
          click: message.link.url,
        },
      }
    },
  },
  slack: {
    check: hasPath,
    request({ address }, message) {
      const body = cutText(message.lines.join('\n'), 3_000)
      const link = `<${message.link.url}|${slackText(message.link.text)}>`
      const section = (type: 'plain_text' | 'mrkdwn', text: string) => ({ type: 'section', text: { type, text } })
      return {
        url: address,
        body: {
          text: slackText(message.title),
          blocks: [
            { type: 'header', text: { type: 'plain_text', text: cutText(message.title, 150), emoji: false } },
            ...(body === '' ? [] : [section('plain_text', body)]),
            section('mrkdwn', link),
          ],
          unfurl_links: false,
        },
      }
    },
  },
  teams: {
    check: hasPath,
    request({ address }, message) {
      const block = (text: string, more: object = {}) => ({
        type: 'TextBlock',
        text: markdownText(text),
        wrap: true,
        ...more,
      })
      const style = message.tone === 'good' ? 'Good' : 'Attention'
      return {
        url: address,
        body: {
          type: 'message',
          attachments: [
            {
              contentType: 'application/vnd.microsoft.card.adaptive',
              contentUrl: null,
              content: {
                $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
                type: 'AdaptiveCard',
                version: '1.4',
                body: [
                  block(message.title, { size: 'Medium', weight: 'Bolder', color: style }),
                  ...message.lines.map((line) => block(line, { spacing: 'Small' })),
                ],
                actions: [{ type: 'Action.OpenUrl', title: message.link.text, url: message.link.url }],
              },
            },
          ],
        },
      }
    },
  },
  discord: {
    check: hasPath,
    request({ address }, message) {
      // Without it, Discord answers before it has looked at the message.
      const url = parseTarget(address)
      url.searchParams.set('wait', 'true')
      return {
        url: url.href,
        body: {
          embeds: [
            {
              title: cutText(message.title, 256),
              description: cutText(message.lines.map(markdownText).join('\n'), 4_000),
              url: message.link.url,
              color: message.tone === 'good' ? 0x2f9e44 : 0xe03131,
            },
          ],
          // Names of devices must not call everybody of the channel.
          allowed_mentions: { parse: [] },
        },
      }
    },
  },
  telegram: {
    check({ address, token, chat }) {
      const { pathname, search } = parseTarget(address)
      require(pathname === '/' && search === '', 'The address must be that of a Bot API server, without a path.')
      require(/^\d+:[-\w]{20,}$/.test(
        token ?? '',
      ), 'The token of a bot looks like 123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11.')
      require(/^(-?\d{1,20}|@\w{3,})$/.test(
        chat ?? '',
      ), 'The chat is a number, or the name of a channel such as @alerts.')
    },
    request({ address, token, chat }, message) {
      const title = cutText(message.title, 256)
      return {
        url: `${parseTarget(address).origin}/bot${token}/sendMessage`,
        body: {
          chat_id: chat,
          text: cutText(
            `${title}\n${textOf({ ...message, lines: message.lines.map((line) => cutText(line, 500)) })}`,
            4_096,
          ),
          // Not a parse mode: names of devices are texts of strangers.
          entities: [{ type: 'bold', offset: 0, length: title.length }],
          link_preview_options: { is_disabled: true },
        },
      }
    },
  },
}

/** Telegram's own server; other services have an address in each contact method. */
export const defaultAddresses: Partial<Record<ChatService, string>> = { telegram: 'https://api.telegram.org' }
