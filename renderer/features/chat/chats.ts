import type { ChatResponseHubDto } from '../../../shared/dtos/chat.ts'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import {
  chatKey,
  fromStored,
  toStored,
  withChangedLine,
  withChat,
  withLine,
  type Chat,
  type ChatLine,
} from './chat-history.ts'
import { createEvent } from '../../api/event.ts'
import { liveState, onChatResponse, onLiveState, viewer } from '../../api/hubs.ts'
import { newId } from '../../api/new-id.ts'

export type { Chat, ChatLine }

/** Whom a message is for. */
export interface ChatDesktop {
  deviceId: string
  deviceName: string
  session: DesktopSession
}

const storageKey = 'farhand.chats'
const settleMs = 300

let userId = ''
let chats: readonly Chat[] = []
/** The chat that the person looks at now. */
let shownKey: string | undefined
let timer: ReturnType<typeof setTimeout> | undefined
const changes = createEvent<void>()
const arrivals = createEvent<{ chat: Chat; line: ChatLine }>()

export const onChatChange = changes.on
/** Called with each answer that comes while the person is elsewhere. */
export const onChatArrival = arrivals.on
export const allChats = () => chats

function store() {
  clearTimeout(timer)
  timer = undefined
  try {
    sessionStorage.setItem(storageKey, toStored(userId, chats))
  } catch {
    // Without room they last until the page is loaded again.
  }
}

function put(chat: Chat) {
  chats = withChat(chats, chat)
  timer ??= setTimeout(store, settleMs)
  changes.emit()
}

const find = (key: string) => chats.find((chat) => chat.key === key)
const change = (key: string, work: (chat: Chat) => Chat) => {
  const chat = find(key)
  if (chat) {
    put(work(chat))
  }
}
const newLine = (from: ChatLine['from'], text: string, more: Partial<ChatLine> = {}): ChatLine => ({
  id: newId(),
  from,
  text,
  at: Date.now(),
  ...more,
})

/** What is on the wire for a chat with this desktop. */
const target = ({ deviceId, processId, systemSessionId }: Chat) => ({
  deviceId,
  targetProcessId: processId,
  targetSystemSession: systemSessionId,
  timestamp: new Date().toISOString(),
})

/** The chat with a desktop, made when there is none; `session` is what the device lists now. */
export function chatWith({ deviceId, deviceName, session }: ChatDesktop): Chat {
  const { name: desktopName, username, processId, systemSessionId } = session
  const key = chatKey(deviceId, desktopName, username)
  const now = { deviceName, processId, systemSessionId }
  const known = find(key)
  return known
    ? { ...known, ...now, sessionId: known.processId === processId ? known.sessionId : undefined }
    : { key, deviceId, desktopName, username, lines: [], unread: 0, draft: '', ...now }
}

async function deliver(key: string, lineId: string, message: string) {
  const chat = find(key)
  if (!chat?.sessionId) {
    return
  }
  try {
    const answer = await viewer.SendChatMessage2({ ...target(chat), sessionId: chat.sessionId, message })
    const outcome: Partial<ChatLine> = answer.isSuccess
      ? { state: 'sent' }
      : { state: 'failed', problem: answer.reason ?? '' }
    change(key, (current) => withChangedLine(current, lineId, outcome))
  } catch {
    change(key, (current) => withChangedLine(current, lineId, { state: 'unknown' }))
  }
}

/** Sends a message; what is said while the server cannot be reached is not sent later (T33). */
export function sendChat(desktop: ChatDesktop, text: string): void {
  if (liveState().state !== 'live') {
    return
  }
  const chat = chatWith(desktop)
  const line = newLine('me', text, { state: 'sending' })
  put({ ...withLine(chat, line), sessionId: chat.sessionId ?? newId(), draft: '' })
  void deliver(chat.key, line.id, text)
}

/** Sends a message that failed once more, when the person asks for it. */
export function sendAgain(desktop: ChatDesktop, line: ChatLine): void {
  if (liveState().state === 'live') {
    dropLine(chatWith(desktop).key, line.id)
    const { draft } = chatWith(desktop)
    sendChat(desktop, line.text)
    setDraft(desktop, draft)
  }
}

export const dropLine = (key: string, lineId: string) =>
  change(key, (chat) => ({ ...chat, lines: chat.lines.filter(({ id }) => id !== lineId) }))

export const setDraft = (desktop: ChatDesktop, draft: string) => put({ ...chatWith(desktop), draft })

/** Closes the window at the device. Throws what the server answered when that was not possible. */
export async function closeChat(key: string): Promise<void> {
  const chat = find(key)
  if (chat?.sessionId) {
    const { deviceId, sessionId, processId: targetProcessId } = chat
    const answer = await viewer.CloseChatSession2({ deviceId, sessionId, targetProcessId })
    if (!answer.isSuccess) {
      throw new Error(answer.reason ?? '')
    }
    change(key, (current) => withLine({ ...current, sessionId: undefined }, newLine('over', '')))
  }
}

/** Forgets what was said. */
export function forgetChat(key: string): void {
  chats = chats.filter((chat) => chat.key !== key)
  timer ??= setTimeout(store, settleMs)
  changes.emit()
}

/** Tells which chat the person looks at, until the returned function is called. */
export function showChat(key: string) {
  shownKey = key
  if (find(key)?.unread) {
    change(key, (chat) => ({ ...chat, unread: 0 }))
  }
  return () => {
    if (shownKey === key) {
      shownKey = undefined
    }
  }
}

/** Keeps an answer of the person; false for one in a chat that is not ours any more. */
function receive({ sessionId, message, isClosed }: ChatResponseHubDto): boolean {
  const chat = chats.find((each) => each.sessionId === sessionId)
  if (!chat) {
    return false
  }
  const line = newLine(isClosed ? 'closed' : 'person', isClosed ? '' : message.toWellFormed())
  const isSeen = chat.key === shownKey && document.hasFocus()
  put({ ...withLine(chat, line), unread: isSeen || isClosed ? chat.unread : chat.unread + 1 })
  if (!isSeen) {
    arrivals.emit({ chat, line })
  }
  return true
}

/** Tells the server that the answers of our chats come to this connection now. */
async function attach(chat: Chat) {
  const { key, sessionId } = chat
  if (sessionId === undefined) {
    return
  }
  const call = viewer.SendChatMessage2({ ...target(chat), sessionId, message: '', isAttach: true })
  // A call that fails fails with the channel; the next one attaches again.
  const answer = await call.catch(() => undefined)
  // The next message takes it up again where the device still has its window.
  if (answer?.isSuccess === false && find(key)?.lines.at(-1)?.from !== 'missed') {
    change(key, (current) => withLine(current, newLine('missed', '')))
  }
}

/** Holds the chats of this user until the returned function is called. */
export function startChats(user: string) {
  userId = user
  chats = fromStored(user, sessionStorage.getItem(storageKey))
  changes.emit()
  onChatResponse(receive)
  const attachAll = () => chats.forEach((chat) => void attach(chat))
  if (liveState().state === 'live') {
    attachAll()
  }
  const stop = onLiveState(({ state }) => state === 'live' && attachAll())
  return () => {
    stop()
    store()
    onChatResponse(() => false)
    chats = []
    changes.emit()
  }
}

/** Leaves nothing behind of what was said. */
export function forgetChats(): void {
  chats = []
  changes.emit()
  store()
  sessionStorage.removeItem(storageKey)
}
