import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { readCookie } from '../../../../../server/engines/http/web/cookies.ts'
import { countedAddress, remoteAddressReader } from '../../../../../server/engines/http/web/remote-address.ts'
import { createOrigins, type OriginsOptions } from '../../../../../server/engines/http/web/origins.ts'

const requestWith = (headers: Record<string, string | undefined>, socket: object = {}) =>
  ({ headers, socket: { localAddress: '127.0.0.1', localPort: 5120, ...socket } }) as unknown as IncomingMessage

const originsOf = (options: Partial<OriginsOptions> = {}) =>
  createOrigins({
    publicUrl: undefined,
    allowedHosts: ['*'],
    listening: () => [{ host: '127.0.0.1', port: 5120 }],
    ...options,
  })

const isRefused = (check: () => void) => {
  try {
    check()
    return false
  } catch {
    return true
  }
}

describe('the host name of a request to a loopback server', () => {
  test.each(['127.0.0.1:5120', 'localhost', 'LOCALHOST:1', '127.5.5.5', undefined])('may be %s', (host) => {
    expect(isRefused(() => originsOf().checkHost(requestWith({ host })))).toBe(false)
  })

  test.each([
    'evil.example',
    '127.0.0.1.evil.example',
    '127.evil.example',
    'localhost.evil.example',
    '127.0.0.1:5120@evil.example',
    'evil.example:5120/127.0.0.1',
    '192.168.1.5',
    '',
  ])('may not be %j', (host) => {
    expect(isRefused(() => originsOf().checkHost(requestWith({ host })))).toBe(true)
  })

  test('loopback names are rejected for a peer on the network', () => {
    const origins = originsOf({ allowedHosts: ['a.example'], listening: () => [{ host: '*', port: 5121 }] })
    const socket = { localAddress: '::ffff:192.168.1.5' }
    expect(isRefused(() => origins.checkHost(requestWith({ host: 'localhost:5120' }, socket)))).toBe(true)
    expect(isRefused(() => origins.checkHost(requestWith({ host: '192.168.1.5:5120' }, socket)))).toBe(false)
  })

  test('a server on the network accepts any name, until names are listed', () => {
    const request = requestWith({ host: 'printer.lan' }, { localAddress: '192.168.1.5' })
    expect(isRefused(() => originsOf({ listening: () => [{ host: '*', port: 5121 }] }).checkHost(request))).toBe(false)
    expect(
      isRefused(() =>
        originsOf({ listening: () => [{ host: '*', port: 5121 }], allowedHosts: ['Printer.LAN'] }).checkHost(request),
      ),
    ).toBe(false)
    expect(
      isRefused(() =>
        originsOf({ listening: () => [{ host: '*', port: 5121 }], allowedHosts: ['other.lan'] }).checkHost(request),
      ),
    ).toBe(true)
  })
})

test.each([
  [{ localAddress: '::1' }, '[::1]:5120', 'http://[::1]:5120'],
  [{ localAddress: 'fe80::1' }, 'evil.example', 'http://[fe80::1]:5120'],
  [{ localAddress: '192.168.1.5', localPort: 80 }, '192.168.1.5', 'http://192.168.1.5'],
  [{ encrypted: true }, '127.0.0.1:8443', 'https://127.0.0.1:8443'],
])('links of %j start with %s', (socket, host, origin) => {
  expect(originsOf().originFor(requestWith({ host }, socket))).toBe(origin)
})

describe('the address of a peer', () => {
  const peer = (trusted: readonly string[] | 'all', remoteAddress: string, forwarded?: string) =>
    remoteAddressReader(trusted)(requestWith({ 'x-forwarded-for': forwarded }, { remoteAddress }))

  test.each<[string, readonly string[] | 'all', string, string | undefined, string]>([
    ['is that of the socket', [], '10.0.0.1', undefined, '10.0.0.1'],
    ['is IPv4 also in IPv6 clothes', [], '::ffff:10.0.0.1', undefined, '10.0.0.1'],
    ['is not what a stranger says', [], '10.0.0.1', '1.2.3.4', '10.0.0.1'],
    ['is not what somebody else than the proxy says', ['10.0.0.2'], '10.0.0.1', '1.2.3.4', '10.0.0.1'],
    ['is what a trusted proxy says', ['10.0.0.1'], '10.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['is read from the right', ['10.0.0.1'], '10.0.0.1', '6.6.6.6, 1.2.3.4', '1.2.3.4'],
    ['goes through every trusted proxy', ['10.0.0.0/8'], '10.0.0.1', '6.6.6.6, 1.2.3.4, 10.9.9.9', '1.2.3.4'],
    ['may be IPv6', ['::1'], '::1', '2001:db8::7', '2001:db8::7'],
    ['is the proxy when that talks nonsense', ['10.0.0.1'], '10.0.0.1', 'unknown', '10.0.0.1'],
    ['is the first, when all are trusted', 'all', '10.0.0.1', '1.2.3.4, 5.6.7.8', '1.2.3.4'],
  ])('%s', (_, trusted, socket, forwarded, expected) => {
    expect(peer(trusted, socket, forwarded)).toBe(expected)
  })
})

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:0:1:aaaa::7', '2001:db8:0:1::/64'],
  ['2001:0DB8::1:0:0:0:7', '2001:db8:0:1::/64'],
  ['2001:db8::7', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['1:2::4:5:6:203.0.113.7', '1:2:0:4::/64'],
  ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4::/64'],
  ['', ''],
])('%j is counted as %s', (address, counted) => {
  expect(countedAddress(address)).toBe(counted)
})

test.each([
  ['is found by its whole name', 'xsession=1; session=a=b; Session=2', 'a=b'],
  ['is not decoded', 'session=a%3Db', 'a%3Db'],
  ['is the first one where two have its name', 'session=1; session=2', '1'],
  ['is found behind what is no cookie', 'nonsense; =; session=1;', '1'],
  ['is not there where only others are', 'sess=1; __proto__=2', undefined],
  ['is not there without the header', undefined, undefined],
])('a cookie %s', (_, cookie, value) => {
  expect(readCookie(requestWith({ cookie }), 'session')).toBe(value)
})
