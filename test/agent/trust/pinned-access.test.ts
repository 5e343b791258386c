import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import Bonjour from 'bonjour-service'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { systemClock } from '../../../agent/base/clock.ts'
import { findAnnounced } from '../../../agent/trust/discovery.ts'
import type { ProvedIdentity } from '../../../agent/trust/identity-document.ts'
import { PinnedAccess, type PinnedAccessDependencies } from '../../../agent/trust/pinned-access.ts'
import type { WrongIdentity } from '../../../agent/trust/problems.ts'
import type { Authority } from '../../../server/engines/tls/certificates.ts'
import { pinOf } from '../../../server/engines/tls/keys.ts'
import { signAddresses } from '../../../server/engines/tls/statement.ts'
import { announcedService } from '../../../shared/server-identity.ts'
import { documentOf, leafOf, newAuthority, startIdentityServer, trustIn } from '../../support/identity-server.ts'
import { freeUdpPort } from '../../../tools/simulate/free-port.ts'
import { manualClock } from '../../support/clock.ts'
import { later } from '../../support/until.ts'

const dayMs = 24 * 3_600_000
const never = new AbortController().signal

function accessOf(authority: Authority, origins: string[], changes: Partial<PinnedAccessDependencies> = {}) {
  const statements: ProvedIdentity[] = []
  const moves: string[] = []
  const strangers: WrongIdentity[] = []
  const access = new PinnedAccess({
    clock: systemClock,
    trusted: trustIn(authority),
    origins,
    onStatement: (statement) => void statements.push(statement),
    onMoved: (origin) => void moves.push(origin),
    onStranger: (stranger) => void strangers.push(stranger),
    find: () => Promise.resolve([]),
    ...changes,
  })
  return { access, statements, moves, strangers }
}

/** Returns a port without a listener. */
async function deadOrigin() {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `https://127.0.0.1:${port}`
}

/** Accepts connections and never replies, as a machine on a bad network. */
async function silentOrigin() {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  server.on('connection', (socket) => onTestFinished(() => void socket.destroy()))
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('a server at a new address', () => {
  test('is found at the next address of the list, which becomes the first', async () => {
    const authority = await newAuthority()
    const server = await startIdentityServer(await leafOf(authority), undefined)
    const { access, moves } = accessOf(authority, [await deadOrigin(), await silentOrigin(), server.url])
    expect(await access.locate(0, never)).toBe(server.url)
    expect(await (await access.fetch('/')).text()).toBe('here')
    expect([access.origin, moves]).toEqual([server.url, [server.url]])
    // The connection that proved the identity was the one used.
    expect(server.handshakes.length).toBe(1)
  })

  test('is found beside a stand-in at its old address, which is reported', async () => {
    const [authority, stranger] = [await newAuthority(), await newAuthority()]
    const leaf = await leafOf(stranger)
    const standIn = await startIdentityServer(leaf, documentOf(stranger, leaf))
    const server = await startIdentityServer(await leafOf(authority), undefined)
    const { access, strangers } = accessOf(authority, [standIn.url, server.url])
    expect(await access.locate(0, never)).toBe(server.url)
    expect(strangers.map(({ address }) => address)).toEqual([standIn.url])
  })

  test('is searched on the network from the second attempt on, and announcements of other servers are ignored', async () => {
    const [authority, stranger] = [await newAuthority(), await newAuthority()]
    const server = await startIdentityServer(await leafOf(authority), undefined)
    const other = await startIdentityServer(await leafOf(stranger), undefined)
    const found = [
      { name: 'Other', authority: pinOf(stranger.key), origins: [other.url] },
      { name: 'Shop', authority: pinOf(authority.key), origins: [server.url] },
    ]
    const { access, moves } = accessOf(authority, [await deadOrigin()], { find: () => Promise.resolve(found) })
    await expect(access.locate(0, never)).rejects.toThrow('the connection was refused')
    expect(await access.locate(1, never)).toBe(server.url)
    expect([moves, other.handshakes]).toEqual([[server.url], []])
  })

  test('is not trusted for its announcement: it has to prove the announced key', async () => {
    const [authority, stranger] = [await newAuthority(), await newAuthority()]
    const leaf = await leafOf(stranger)
    const standIn = await startIdentityServer(leaf, documentOf(stranger, leaf))
    const found = [{ name: 'Shop', authority: pinOf(authority.key), origins: [standIn.url] }]
    const { access, strangers } = accessOf(authority, [await deadOrigin()], { find: () => Promise.resolve(found) })
    await expect(access.locate(1, never)).rejects.toThrow(`Another server answers at ${standIn.url}`)
    expect(strangers.length).toBe(1)
  })

  test('is not hidden by an earlier announcement of its key: a search ends early once, and only with a new address', async () => {
    const [authority, dead] = [await newAuthority(), await deadOrigin()]
    const announced = (origin: string) => ({ name: 'Shop', authority: pinOf(authority.key), origins: [origin] })
    const ends: boolean[] = []
    const find: PinnedAccessDependencies['find'] = (_, { isEnough }) => {
      ends.push(isEnough(announced(dead)), isEnough(announced('https://192.0.2.9:5121')))
      return Promise.resolve([announced(dead)])
    }
    const { access } = accessOf(authority, [dead], { find })
    await expect(access.locate(1, never)).rejects.toThrow('the connection was refused')
    await expect(access.locate(2, never)).rejects.toThrow('the connection was refused')
    expect(ends).toEqual([false, true, false, false])
  })

  test('is searched while its known addresses do not answer', async () => {
    const authority = await newAuthority()
    const server = await startIdentityServer(await leafOf(authority), undefined)
    const found = [{ name: 'Shop', authority: pinOf(authority.key), origins: [server.url] }]
    const clock = manualClock(Date.now())
    const { access } = accessOf(authority, [await silentOrigin()], { clock, find: () => Promise.resolve(found) })
    const located = access.locate(1, never)
    clock.advance(1_500)
    expect(await located).toBe(server.url)
    expect(await (await access.fetch('/')).text()).toBe('here')
  })

  test('is not searched where a known address answers at once', async () => {
    const authority = await newAuthority()
    const server = await startIdentityServer(await leafOf(authority), undefined)
    let asked = 0
    const { access } = accessOf(authority, [server.url], { find: () => Promise.resolve((asked++, [])) })
    await access.locate(3, never)
    expect(asked).toBe(0)
  })

  test('is found at once among thousands of false addresses by its signed announcement', async () => {
    const authority = await newAuthority()
    const server = await startIdentityServer(await leafOf(authority), undefined)
    const [dead, stranger] = [await deadOrigin(), await newAuthority()]
    const liar = { name: 'Shop', authority: pinOf(authority.key) }
    const lies = Array.from({ length: 2000 }, (_, at) => ({
      ...liar,
      origins: [`https://192.0.2.${at % 250}:${at + 1}`],
    }))
    const signed = signAddresses(authority, [server.url], Date.now())
    const find: PinnedAccessDependencies['find'] = (_, { hasSigned }) => {
      const judged = [
        signed,
        signAddresses(stranger, [server.url], Date.now()),
        { ...signed, addresses: 'https://192.0.2.1:1' },
        signAddresses(authority, [server.url], Date.now() - 3.1 * dayMs),
        signAddresses(authority, [server.url], Date.now() + 1.1 * dayMs),
      ]
      expect(judged.map(hasSigned)).toEqual([true, false, false, false, false])
      return Promise.resolve([...lies, { name: 'x', authority: undefined, origins: [server.url], isSigned: true }])
    }
    const { access, moves } = accessOf(authority, [dead], { find })
    expect(await access.locate(7, never)).toBe(server.url)
    expect(moves).toEqual([server.url])
  })

  test('is found among many false addresses in the end', async () => {
    const authority = await newAuthority()
    const server = await startIdentityServer(await leafOf(authority), undefined)
    const dead = await deadOrigin()
    const announced = (origins: string[]) => ({ name: 'Shop', authority: pinOf(authority.key), origins })
    const { port } = new URL(dead)
    const falseOnes = Array.from({ length: 31 }, (_, at) => announced([`https://127.0.0.${at + 2}:${port}`]))
    const find = () => Promise.resolve([...falseOnes, announced([server.url])])
    const { access } = accessOf(authority, [dead], { find })
    // Each attempt tries half of them.
    for (let attempt = 1; attempt < 40 && access.origin !== server.url; attempt++) {
      await access.locate(attempt, never).catch(() => undefined)
    }
    expect(access.origin).toBe(server.url)
  })

  test('gets other addresses from its signed list only, and none without TLS', async () => {
    const authority = await newAuthority()
    const leaf = await leafOf(authority)
    const addresses = ['https://192.0.2.1:5121', 'http://192.0.2.2:5120']
    const server = await startIdentityServer(leaf, documentOf(authority, leaf, { addresses }))
    const { access, statements } = accessOf(authority, [server.url])
    await access.locate(0, never)
    await access.refresh()
    expect(statements.map(({ statement }) => statement.addresses)).toEqual([addresses])
    const older = documentOf(authority, leaf, { addresses: ['https://192.0.2.3:1'], issuedAt: Date.now() - 60_000 })
    server.say(older)
    await access.refresh()
    expect(statements.length).toBe(1)
    await server.close()
    await expect(access.locate(0, never)).rejects.toThrow('Also tried, without success: https://192.0.2.1:5121.')
  })
})

test('a canceled attempt ends at once', async () => {
  const authority = await newAuthority()
  const { access } = accessOf(authority, [await silentOrigin()])
  const giveUp = new AbortController()
  const locating = access.locate(5, giveUp.signal)
  giveUp.abort()
  await expect(locating).rejects.toThrow('Cannot reach')
})

test('a pinned server without any encrypted address is an error, never a plain connection', async () => {
  const authority = await newAuthority()
  expect(() => accessOf(authority, ['http://127.0.0.1:5120'])).toThrow('none of its addresses is encrypted')
})

test('a redirect of a server is not followed', async () => {
  const authority = await newAuthority()
  const elsewhere = await startIdentityServer(await leafOf(authority), undefined)
  const server = await startIdentityServer(await leafOf(authority), undefined, {
    answer: (_, response) => response.writeHead(307, { location: elsewhere.url }).end(),
  })
  const { access } = accessOf(authority, [server.url])
  await expect(access.fetch('/api/agent/devices')).rejects.toThrow('wants to send this device elsewhere')
  expect(elsewhere.handshakes).toEqual([])
})

describe('the relay', () => {
  test('is at the address where the server proved itself, whatever address the session names', async () => {
    const authority = await newAuthority()
    const { access } = accessOf(authority, ['https://192.0.2.7:5121'])
    const given = 'ws://127.0.0.1:5120/relay?sessionId=a&accessToken=b&role=responder'
    expect(access.relay(given)).toEqual({
      websocketUri: 'wss://192.0.2.7:5121/relay?sessionId=a&accessToken=b&role=responder',
      server: access.trusted,
    })
  })

  test('gets no token from a stand-in', async () => {
    const [authority, stranger] = [await newAuthority(), await newAuthority()]
    const leaf = await leafOf(stranger)
    const standIn = await startIdentityServer(leaf, documentOf(stranger, leaf))
    const { access } = accessOf(authority, [standIn.url])
    const { websocketUri } = access.relay('wss://elsewhere/relay?accessToken=secret')
    const socket = new WebSocket(websocketUri, access.socketOptions)
    const [error] = (await once(socket, 'error')) as [Error]
    expect(error.message).toContain('Another server answers')
    expect(standIn.requests.join('\n')).not.toContain('secret')
  })
})

test('a server that announces itself on the network is found with its name, its key and its port', async () => {
  const authority = await newAuthority()
  const pin = pinOf(authority.key)
  const name = `Test ${process.pid} ${Date.now()}`
  const port = await freeUdpPort()
  const bonjour = new Bonjour({ port }, () => {})
  onTestFinished(() => new Promise<void>((resolve) => bonjour.destroy(() => resolve())))
  bonjour.publish({ name, type: announcedService, port: 5121, txt: { authority: pin, name }, probe: false })
  const isEnough = (announced: { name: string }) => announced.name === name
  const found = (await findAnnounced(10_000, { isEnough, port })).filter(isEnough)
  expect(found.map((announced) => announced.authority)).toEqual([pin])
  expect(found.flatMap(({ origins }) => origins).every((origin) => /^https:\/\/.+:5121$/.test(origin))).toBe(true)
})

test(
  'earlier announcements of a server, by all of its names, do not hide its real address',
  { timeout: 60_000 },
  async () => {
    const pin = pinOf((await newAuthority()).key)
    const name = `Test ${process.pid} ${Date.now()}`
    const fqdn = `${name}._farhand._tcp.local`
    const answer = (addresses: string[]) => ({
      answers: [{ name: '_farhand._tcp.local', type: 'PTR' as const, ttl: 120, data: fqdn }],
      additionals: [
        { name: fqdn, type: 'SRV' as const, ttl: 120, data: { port: 5121, target: 'shop.local' } },
        { name: fqdn, type: 'TXT' as const, ttl: 120, data: [`authority=${pin}`, `name=${name}`] },
        ...addresses.map((data) => ({ name: 'shop.local', type: 'A' as const, ttl: 120, data })),
      ],
    })
    // Two machines: on this machine's network, and on its own.
    const port = await freeUdpPort()
    const socketOf = (options: object) => {
      const bonjour = new Bonjour({ ...options, port }, () => {})
      onTestFinished(() => new Promise<void>((resolve) => bonjour.destroy(() => resolve())))
      return bonjour['server'].mdns
    }
    const [liar, truth] = [socketOf({ interface: '127.0.0.1', bind: '0.0.0.0' }), socketOf({})]
    const lies = Array.from({ length: 12 }, (_, at) => `192.0.2.${at + 1}`)
    let heard = 0
    liar.on('query', () => {
      heard++
      liar.respond(answer(lies), () => later(100, () => truth.respond(answer(['198.51.100.7']))))
    })
    const isTrue = ({ origins }: { origins: string[] }) => origins.includes('https://198.51.100.7:5121')
    const found = (await findAnnounced(15_000, { isEnough: isTrue, port })).filter(
      (announced) => announced.name === name,
    )
    expect(heard).toBeGreaterThan(0)
    expect(found.some(isTrue)).toBe(true)
  },
)

test(
  'a signed announcement is read however many others come first, from however many addresses',
  { timeout: 60_000 },
  async () => {
    const authority = await newAuthority()
    const pin = pinOf(authority.key)
    const name = `Test ${process.pid} ${Date.now()}`
    const answer = (text: Record<string, string>, address: string) => {
      const fqdn = `${name}._farhand._tcp.local`
      const txt = Object.entries({ authority: pin, name, ...text }).map(([key, value]) => `${key}=${value}`)
      return {
        answers: [{ name: '_farhand._tcp.local', type: 'PTR' as const, ttl: 120, data: fqdn }],
        additionals: [
          { name: fqdn, type: 'SRV' as const, ttl: 120, data: { port: 5121, target: 'shop.local' } },
          { name: fqdn, type: 'TXT' as const, ttl: 120, data: txt },
          { name: 'shop.local', type: 'A' as const, ttl: 120, data: address },
        ],
      }
    }
    const port = await freeUdpPort()
    const socketOf = (address: string) => {
      const options: object = { interface: '127.0.0.1', bind: address, port }
      const bonjour = new Bonjour(options, () => {})
      onTestFinished(() => new Promise<void>((resolve) => bonjour.destroy(() => resolve())))
      return bonjour['server'].mdns
    }
    const truth = socketOf('0.0.0.0')
    const liars = Array.from({ length: 80 }, (_, at) => socketOf(`127.0.0.${at + 2}`))
    const now = Date.now()
    const [old, newest] = [now - 3_600_000, now].map((at) => ({
      ...signAddresses(authority, [`https://198.51.100.${at === now ? 7 : 6}:5121`], at),
    }))
    let heard = 0
    truth.on('query', () => {
      heard++
      liars.forEach((liar, at) => liar.respond(answer(at % 2 === 0 ? {} : { ...old }, `192.0.2.${at + 1}`)))
      later(300, () => truth.respond(answer({ ...newest }, '192.0.2.200')))
    })
    const asked: string[] = []
    // Other servers may announce themselves on this network too.
    const hasSigned = ({ addresses, signature }: { addresses: string; signature: string }) => {
      const isOurs = addresses.startsWith('https://198.51.100.')
      if (isOurs) {
        asked.push(signature)
      }
      return isOurs
    }
    const isEnough = ({ isSigned, origins }: { isSigned?: boolean; origins: string[] }) =>
      isSigned === true && origins.includes('https://198.51.100.7:5121')
    const [first] = await findAnnounced(25_000, { hasSigned, isEnough, port })
    expect(heard).toBeGreaterThan(0)
    expect(new Set(asked)).toEqual(new Set([old?.signature, newest?.signature]))
    expect(first).toEqual({ name, authority: pin, origins: ['https://198.51.100.7:5121'], isSigned: true })
  },
)
