import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Base64Text } from '../../server/engines/signalr/protocol/base64-items.ts'
import { jsonProtocol } from '../../server/engines/signalr/protocol/json.ts'
import { ReceiveBuffer } from '../../server/engines/signalr/protocol/receive-buffer.ts'

const read = (...chunks: (string | Buffer)[]) => {
  const input = new ReceiveBuffer()
  chunks.forEach((chunk) => input.append(Buffer.from(chunk as string)))
  return { message: jsonProtocol.read(input, 1_000_000, 20_000), input }
}

const messageOf = (item: string, id = '7') => `{"type":2,"invocationId":"${id}","item":"${item}"}\x1e`

test.each([1_500, 1_501, 1_502, 30_720])('a stream item of %i bytes is decoded from the received bytes', (length) => {
  const bytes = randomBytes(length)
  const base64 = bytes.toString('base64')
  const { message, input } = read(messageOf(base64).slice(0, 900), messageOf(base64).slice(900), '{"type":6}\x1e')
  const { item } = message as unknown as { item: Base64Text }
  expect(message).toMatchObject({ type: 2, invocationId: '7' })
  expect([item.bytes.equals(bytes), item.text]).toEqual([true, base64])
  expect(jsonProtocol.read(input, 100)).toEqual({ type: 6 })
})

const long = randomBytes(1_500).toString('base64').replace(/[+/]/g, 'a')
const changed = (text: string, at = 700) => `${long.slice(0, at)}${text}${long.slice(at + text.length)}`

// Each is a valid message, whose string only the JSON parser reads.
test.each([
  ['a short string', messageOf('AAAA')],
  ['base64 of another alphabet', messageOf(changed('-'))],
  ['another alphabet, other character', messageOf(changed('_'))],
  ['a blank', messageOf(changed(' '))],
  ['a cut group', messageOf(long.slice(0, -1))],
  ['padding inside', messageOf(changed('=='))],
  ['bits behind the end', messageOf(`${long.slice(0, -4)}AB==`)],
  ['an escape', messageOf(changed('\\/'))],
  ['letters that are not ASCII', messageOf(changed('é'))],
  ['an escaped id', messageOf(long, '\\u0037')],
  ['another member', `${messageOf(long).slice(0, -2)},"headers":{}}\x1e`],
  ['another order', `{"invocationId":"7","type":2,"item":"${long}"}\x1e`],
  ['two members', messageOf(`${long}","x":"${long}`)],
])('%s is read as JSON', (_, text) => {
  const { type, invocationId, item } = JSON.parse(text.slice(0, -1)) as Record<string, unknown>
  expect(read(text).message).toEqual({ type, invocationId, item })
})

test.each([
  ['a raw quote', messageOf(changed('"'))],
  ['a control character', messageOf(changed('\n'))],
  ['bytes that are not UTF-8', Buffer.from(messageOf(changed('\xc3\x28')), 'latin1')],
  ['an empty id', messageOf(long, '')],
])('%s is rejected', (_, text) => expect(() => read(text)).toThrow(/Error reading JSON|invocationId/))
