import { JsonHubProtocol, MessageType, NullLogger } from '@microsoft/signalr'
import { describe, expect, test } from 'vitest'
import { AgentProtocol } from '../../../agent/link/json-protocol.ts'

const item = (value: unknown) => ({ type: MessageType.StreamItem, invocationId: 'a "quoted" id', item: value }) as const

describe('an item of a stream', () => {
  test.each([[0], [1], [2], [30_720]])('of %i bytes is written as the library writes their base64', (length) => {
    const whole = Buffer.alloc(length + 8, 'Añ\0"\\')
    // Part of a larger buffer, as file readers return it.
    const part = whole.subarray(4, 4 + length)
    expect(new AgentProtocol().writeMessage(item(part))).toBe(
      new JsonHubProtocol().writeMessage(item(part.toString('base64'))),
    )
  })

  test('without bytes is written by the library', () => {
    const entry = item([{ name: 'a "b"' }])
    expect(new AgentProtocol().writeMessage(entry)).toBe(new JsonHubProtocol().writeMessage(entry))
  })
})

describe('a received item of a stream', () => {
  const read = (text: string) => new AgentProtocol().parseMessages(text, NullLogger.instance)
  const lone = (bytes: Buffer, id: string) =>
    `{"type":2,"invocationId":"${id}","item":"${bytes.toString('base64')}"}\x1e`

  test.each([[0], [1], [2], [65_536]])('of %i bytes is decoded', (length) => {
    const bytes = Buffer.alloc(length, 'Añ\0"\\')
    expect(read(lone(bytes, '7'))).toEqual([item(bytes)].map((message) => ({ ...message, invocationId: '7' })))
  })

  test('is decoded beside other messages, and with an escaped id', () => {
    const bytes = Buffer.from('abc')
    expect(read(`{"type":6}\x1e${lone(bytes, 'a \\"quoted\\" id')}${lone(bytes, '7')}`)).toEqual([
      { type: MessageType.Ping },
      item(bytes),
      { ...item(bytes), invocationId: '7' },
    ])
  })
})
