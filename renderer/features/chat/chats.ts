import { notifications } from '@mantine/notifications'
import { useSyncExternalStore } from 'react'
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
import { createEvent } from '../../api/create-event.ts'
import { liveState, onChatResponse, onLiveState, viewer } from '../../api/hubs.ts'
import { newId } from '../../api/new-id.ts'
import { tabStorage } from '../../api/storage.ts'
import * as t from '../../texts.ts'

export type { Chat, ChatLine }

/** Desktop that receives a message. */
export interface ChatDesktop {
  deviceId: string
  deviceName: string
  session: DesktopSession
}

const storageKey = 'farhand.chats'
const settleMs = 300

let userId = ''
let chats: readonly Chat[] = []
/** Key of the chat on screen. */
let shownKey: string | undefined
let timer: ReturnType<typeof setTimeout> | undefined
const changes = createEvent<void>()
const arrivals = createEvent<{ chat: Chat; line: ChatLine }>()

/** Called for each answer to a chat that is not on screen or whose window lacks the focus. */
export const onChatArrival = arrivals.on

/** Chats of all devices. */
export const useChats = () => useSyncExternalStore(changes.on, () => chats)

function store() {
  clearTimeout(timer)
  timer = undefined
  // When storage is full, chats last until the page reloads.
  tabStorage.set(storageKey, toStored(userId, chats))
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

/** Members of every hub call for a chat. */
const target = ({ deviceId, processId, systemSessionId }: Chat) => ({
  deviceId,
  targetProcessId: processId,
  targetSystemSession: systemSessionId,
  timestamp: new Date().toISOString(),
})

/** Returns the chat with a desktop, or a new one. `session` is the desktop as the device lists it now. */
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

/** Sends a message. Without a connection it is dropped, never sent later (T33). */
export function sendChat(desktop: ChatDesktop, text: string): void {
  if (liveState().state !== 'live') {
    return
  }
  const chat = chatWith(desktop)
  const line = newLine('me', text, { state: 'sending' })
  put({ ...withLine(chat, line), sessionId: chat.sessionId ?? newId(), draft: '' })
  void deliver(chat.key, line.id, text)
}

/** Sends a failed message again, on the user's request. */
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

/** Closes the chat window at the device. Throws with the server's reason on failure. */
async function closeChat(key: string): Promise<void> {
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

/** Closes the chat window at the device, and shows the reason of a failure. */
export const endChat = (key: string): void =>
  void closeChat(key).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : ''
    notifications.show({ title: t.chat.closeFailed, message: reason.slice(0, 300), color: 'danger' })
  })

/** Deletes the chat from this page. */
export function forgetChat(key: string): void {
  chats = chats.filter((chat) => chat.key !== key)
  timer ??= setTimeout(store, settleMs)
  changes.emit()
}

/** Marks the chat as on screen, until the returned function is called. */
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

/** Adds a message of the person at the device. Returns false for an unknown chat. */
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

/** Moves the answers of a chat to this connection. */
async function attach(chat: Chat) {
  const { key, sessionId } = chat
  if (sessionId === undefined) {
    return
  }
  const call = viewer.SendChatMessage2({ ...target(chat), sessionId, message: '', isAttach: true })
  // A failed call means a lost channel; the next connection attaches again.
  const answer = await call.catch(() => undefined)
  // The next message continues the chat if the device still has its window.
  if (answer?.isSuccess === false && find(key)?.lines.at(-1)?.from !== 'missed') {
    change(key, (current) => withLine(current, newLine('missed', '')))
  }
}

/** Loads the chats of a user and receives answers, until the returned function is called. */
export function startChats(user: string) {
  userId = user
  chats = fromStored(user, tabStorage.get(storageKey))
  changes.emit()
  onChatResponse(receive)
  const attachAll = () => chats.forEach((chat) => void attach(chat))
  if (liveState().state === 'live') {
    attachAll()
  }
  const stop = onLiveState(({ state }) => state === 'live' && attachAll())
  // A reload does not wait for the timer.
  addEventListener('pagehide', store)
  return () => {
    stop()
    removeEventListener('pagehide', store)
    store()
    onChatResponse(() => false)
    chats = []
    changes.emit()
  }
}

/** Deletes all chats, also from storage. */
export function forgetChats(): void {
  chats = []
  changes.emit()
  store()
  tabStorage.remove(storageKey)
}
