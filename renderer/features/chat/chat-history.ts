import { z } from 'zod'
import { parseJson } from '../../../shared/contract/parse-json.ts'

const ChatLine = z.object({
  id: z.string(),
  /**
   * Author of the line; `closed`, `over` and `missed` are notices without an author: the person closed the window, the
   * user ended the chat, answers may be missing.
   */
  from: z.enum(['me', 'person', 'closed', 'over', 'missed']),
  text: z.string(),
  /** In ms since the epoch. */
  at: z.number(),
  /** Delivery of an own message; `unknown` when the connection broke before the answer. */
  state: z.enum(['sending', 'sent', 'failed', 'unknown']).optional(),
  /** Reason of a failed delivery. */
  problem: z.string().optional(),
})
export type ChatLine = z.output<typeof ChatLine>

const Chat = z.object({
  /** Identifies the desktop for as long as it exists; process ids change. */
  key: z.string(),
  deviceId: z.string(),
  deviceName: z.string(),
  desktopName: z.string(),
  username: z.string(),
  /** Session id of the chat at the device; undefined before the first message and after the end. */
  sessionId: z.string().optional(),
  processId: z.number(),
  systemSessionId: z.number(),
  lines: z.array(ChatLine),
  unread: z.number(),
  /** Text of the composer that was not sent. */
  draft: z.string(),
})
export type Chat = z.output<typeof Chat>

const StoredChats = z.object({ userId: z.string(), chats: z.array(Chat) })

const most = { chats: 20, lines: 300 }
/** Browsers allow about 5 million characters per origin. */
const mostStored = 1_000_000
const keptWhenFull = [most.lines, 100, 30, 5]

export const chatKey = (deviceId: string, desktopName: string, username: string) =>
  [deviceId, desktopName, username].join(' ')

/** Appends a line and drops the oldest ones above the limit. */
export const withLine = (chat: Chat, line: ChatLine): Chat => ({
  ...chat,
  lines: [...chat.lines, line].slice(-most.lines),
})

export const withChangedLine = (chat: Chat, id: string, change: Partial<ChatLine>): Chat => ({
  ...chat,
  lines: chat.lines.map((line) => (line.id === id ? { ...line, ...change } : line)),
})

/** Replaces the chat, or appends it and drops the oldest ones above the limit. */
export function withChat(chats: readonly Chat[], chat: Chat): readonly Chat[] {
  return chats.some(({ key }) => key === chat.key)
    ? chats.map((other) => (other.key === chat.key ? chat : other))
    : [...chats, chat].slice(-most.chats)
}

/** Serializes chats for session storage; long chats are cut to their last lines until the text fits. */
export function toStored(userId: string, chats: readonly Chat[]): string {
  let text = ''
  for (const count of keptWhenFull) {
    const kept = chats.map((chat) => ({ ...chat, lines: chat.lines.slice(-count) }))
    text = JSON.stringify({ userId, chats: kept })
    if (text.length <= mostStored) {
      return text
    }
  }
  return JSON.stringify({ userId, chats: [] })
}

/** Parses the stored chats of a user; empty if another user stored them. */
export function fromStored(userId: string, text: string | null): readonly Chat[] {
  const stored = StoredChats.safeParse(parseJson(text ?? '')).data
  if (stored?.userId !== userId) {
    return []
  }
  return stored.chats.map((chat) => ({
    ...chat,
    // The answer to this message was lost with the previous page.
    lines: chat.lines.map((line) => (line.state === 'sending' ? { ...line, state: 'unknown' } : line)),
  }))
}
