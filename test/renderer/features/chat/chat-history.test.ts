import { describe, expect, test } from 'vitest'
import {
  fromStored,
  toStored,
  withChat,
  withLine,
  type Chat,
  type ChatLine,
} from '../../../../renderer/features/chat/chat-history.ts'

const chat = (changes: Partial<Chat> = {}): Chat => ({
  key: 'device :0 ben',
  deviceId: 'device',
  deviceName: 'vm',
  desktopName: ':0',
  username: 'ben',
  sessionId: 'session',
  processId: 1,
  systemSessionId: 1,
  lines: [],
  unread: 0,
  draft: '',
  ...changes,
})
const line = (text: string, more: Partial<ChatLine> = {}): ChatLine => ({
  id: text,
  from: 'person',
  text,
  at: 1,
  ...more,
})

describe('a chat', () => {
  test('keeps its last 300 lines, however many a device sends', () => {
    let current = chat()
    for (let index = 0; index < 1000; index++) {
      current = withLine(current, line(String(index)))
    }
    expect([current.lines.length, current.lines[0]!.text, current.lines.at(-1)!.text]).toEqual([300, '700', '999'])
  })

  test('replaces the stored chat of the device, and the oldest of too many chats is removed', () => {
    let chats: readonly Chat[] = []
    for (let index = 0; index < 25; index++) {
      chats = withChat(chats, chat({ key: String(index) }))
    }
    expect(chats.map(({ key }) => key)).toEqual(Array.from({ length: 20 }, (_, index) => String(index + 5)))
    expect(withChat(chats, chat({ key: '9', draft: 'new' })).find(({ key }) => key === '9')!.draft).toBe('new')
  })
})

describe('messages stored for a reload', () => {
  test('are restored for the same user, and a message that was being sent is marked as unknown', () => {
    const kept = chat({ lines: [line('hi', { from: 'me', state: 'sending' }), line('yes')] })
    const [restored] = fromStored('ada', toStored('ada', [kept]))
    expect(restored!.lines).toEqual([line('hi', { from: 'me', state: 'unknown' }), line('yes')])
    expect(fromStored('eve', toStored('ada', [kept]))).toEqual([])
  })

  test.each([null, '', 'null', '[]', '{"userId":"ada","chats":[{}]}'])('are empty if the storage holds %j', (text) => {
    expect(fromStored('ada', text)).toEqual([])
  })

  test('fits into the storage of a browser', () => {
    const long = Array.from({ length: 300 }, (_, index) => line(`${index} ${'x'.repeat(9_990)}`))
    const stored = toStored('ada', [chat({ lines: long })])
    expect(stored.length).toBeLessThanOrEqual(1_000_000)
    expect(fromStored('ada', stored)[0]!.lines.at(-1)!.text).toMatch(/^299 /)
  })
})
