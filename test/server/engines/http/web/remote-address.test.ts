import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { remoteAddressReader } from '../../../../../server/engines/http/web/remote-address.ts'

const from = (forwarded: string) =>
  remoteAddressReader(['127.0.0.1', '10.0.0.0/8'])({
    socket: { remoteAddress: '::ffff:127.0.0.1' },
    headers: { 'x-forwarded-for': forwarded },
  } as unknown as IncomingMessage)

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:51234', '203.0.113.7'],
  ['2001:db8::7', '2001:db8::7'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['[2001:db8::7]:443', '2001:db8::7'],
  ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
  ['198.51.100.1, 203.0.113.7:51234, 10.0.0.3:80', '203.0.113.7'],
  ['unknown', '127.0.0.1'],
  ['203.0.113.7:port', '127.0.0.1'],
  ['[203.0.113.7', '127.0.0.1'],
])('a trusted proxy that forwards for %s has the peer %s', (forwarded, peer) => {
  expect(from(forwarded)).toBe(peer)
})
