import { createHash } from 'node:crypto'
import { cutText } from '../../shared/cut-text.ts'
import type { App } from '../call/call.ts'
import { mailedOrigin } from '../network/addresses.ts'
import type { ChatMessage } from './services.ts'
import type { NotificationDeliveryRow, NotificationRow } from './tables.ts'

export type Due = NotificationDeliveryRow &
  Pick<NotificationRow, 'tenantId' | 'alertId' | 'kind' | 'title' | 'lines' | 'path' | 'about' | 'isUrgent'>

/** A message for one contact method, of one notification or of all that waited for it. */
export interface Message extends ChatMessage {
  /** Id that each attempt repeats, so that a receiver recognizes a repeated message. */
  id: string
}

/** Notifications that a message for several lists. */
const maxListed = 20

const toneOf = ({ kind, isUrgent }: Pick<Due, 'kind' | 'isUrgent'>) =>
  kind === 'closed' ? 'good' : isUrgent ? 'urgent' : 'news'

/** When something happened, for people: in the time zone of their quiet hours. */
const timeIn = (timeZone: string) =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  })

/** Composes the message for what is due of one contact method. */
export function messageOf(app: App, due: readonly Due[], timeZone: string): Message {
  const [first] = due
  const origin = mailedOrigin(app)
  if (due.length === 1) {
    const { id, title, lines, path } = first!
    const link = { url: origin + path, text: `Open in ${app.config.branding.brandName}` }
    return { id, title, lines: JSON.parse(lines) as string[], link, tone: toneOf(first!) }
  }
  const id = createHash('sha256')
    .update(due.map((one) => one.id).join())
    .digest('hex')
  const time = timeIn(timeZone)
  const more = due.length - maxListed
  const tones = due.map(toneOf)
  const pages = new Set(due.map(({ path }) => path.replace(/[?#].*$/, '')))
  return {
    id: id.slice(0, 36),
    title: `${due.length} alerts since ${time.format(first!.createdAt)}`,
    lines: [
      ...due.slice(0, maxListed).map(({ createdAt, title }) => cutText(`${time.format(createdAt)}: ${title}`, 300)),
      ...(more > 0 ? [`and ${more} more`] : []),
    ],
    link: {
      url: origin + (pages.size === 1 ? [...pages].join('') : '/home'),
      text: `Open ${app.config.branding.brandName}`,
    },
    tone: tones.find((tone) => tone === 'urgent') ?? tones.find((tone) => tone === 'news') ?? 'good',
  }
}
