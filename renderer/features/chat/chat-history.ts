import { z } from 'zod'

const ChatLine = z.object({
  id: z.string(),
  /** Who says it; nobody says that the person closed the window, that we ended the chat, that answers may be missing. */
  from: z.enum(['me', 'person', 'closed', 'over', 'missed']),
  text: z.string(),
  /** In ms since the epoch. */
  at: z.number(),
  /** Of an own message; `unknown`: the connection broke, and it may have arrived. */
  state: z.enum(['sending', 'sent', 'failed', 'unknown']).optional(),
  /** Why it failed. */
  problem: z.string().optional(),
})
export type ChatLine = z.output<typeof ChatLine>

const Chat = z.object({
  /** Names the desktop for as long as it is the same one: process numbers change. */
  key: z.string(),
  deviceId: z.string(),
  deviceName: z.string(),
  desktopName: z.string(),
  username: z.string(),
  /** The chat on the wire; none before the first message and after the end. */
  sessionId: z.string().optional(),
  processId: z.number(),
  systemSessionId: z.number(),
  lines: z.array(ChatLine),
  unread: z.number(),
  /** What was typed and not sent. */
  draft: z.string(),
})
export type Chat = z.output<typeof Chat>

const StoredChats = z.object({ userId: z.string(), chats: z.array(Chat) })

const most = { chats: 20, lines: 300 }
/** A browser gives a page about 5 million characters. */
const mostStored = 1_000_000
const keptWhenFull = [most.lines, 100, 30, 5]

export const chatKey = (deviceId: string, desktopName: string, username: string) =>
  [deviceId, desktopName, username].join(' ')

/** The chat with a line more; the oldest lines give way. */
export const withLine = (chat: Chat, line: ChatLine): Chat => ({
  ...chat,
  lines: [...chat.lines, line].slice(-most.lines),
})

export const withChangedLine = (chat: Chat, id: string, change: Partial<ChatLine>): Chat => ({
  ...chat,
  lines: chat.lines.map((line) => (line.id === id ? { ...line, ...change } : line)),
})

/** The chats with this one in its place, or behind all others; the oldest give way. */
export function withChat(chats: readonly Chat[], chat: Chat): readonly Chat[] {
  return chats.some(({ key }) => key === chat.key)
    ? chats.map((other) => (other.key === chat.key ? chat : other))
    : [...chats, chat].slice(-most.chats)
}

/** What is kept for a reload; of very long chats only the last lines. */
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

/** The chats of this user, as they were kept; none when somebody else's are there. */
export function fromStored(userId: string, text: string | null): readonly Chat[] {
  const stored = StoredChats.safeParse(parseJson(text)).data
  if (stored?.userId !== userId) {
    return []
  }
  return stored.chats.map((chat) => ({
    ...chat,
    // Nobody is there any more who heard what came of it.
    lines: chat.lines.map((line) => (line.state === 'sending' ? { ...line, state: 'unknown' } : line)),
  }))
}

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
