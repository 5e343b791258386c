import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { makeTicket } from '../../tools/simulate/relay-ticket.ts'
import { pageKeyHeader, pageProtocols } from '../../shared/page-key.ts'
import { manualClock } from '../support/clock.ts'
import { connectViewer } from '../support/hub-client.ts'
import { bearerLogin } from '../support/identity.ts'
import { addUser } from '../support/people.ts'
import { recordingAgent } from '../support/recording-agent.ts'
import { joinRelay, refusedWith } from '../support/relay.ts'
import { requestSession, requestTold } from '../support/session.ts'
import { account, ownerForFile, serverForFile, useTestServer, Visitor } from '../support/server.ts'

const clock = manualClock(Date.now())
const newKey = () => randomBytes(32).toString('base64url')

/** Signs in like our own page, whose requests carry its key. */
async function openPage({ url }: { url: string }, email = account.email, pageKey = newKey()): Promise<Visitor> {
  const page = Object.assign(new Visitor(url), { pageKey })
  await page.applianceSession.signIn({ body: { email, password: account.password } })
  return page
}

const server = serverForFile({ clock, settings: bearerLogin })
const owner = ownerForFile(server)

const me = (headers: Record<string, string>) => fetch(`${server.url}/api/auth/me`, { headers })
const statusOf = async (headers: Record<string, string>) => (await me(headers)).status

test('a session of our own page cannot be used with its cookie alone', async () => {
  const page = await openPage(server)
  const { cookie = '', origin = '' } = page.headers
  const negotiate = (headers: Record<string, string>) =>
    fetch(`${server.url}/hubs/viewer/negotiate?negotiateVersion=1`, { method: 'POST', headers })
  const relay = makeTicket(server.url).requester
  const socket = `${server.url.replace('http', 'ws')}/hubs/viewer`
  const attempts: Record<string, string>[] = [
    { cookie, origin },
    { cookie, origin, [pageKeyHeader]: newKey() },
    { cookie, origin, [pageKeyHeader]: '' },
    { cookie, origin, 'sec-websocket-protocol': pageProtocols(newKey()).join(', ') },
  ]
  for (const stolen of attempts) {
    expect([await statusOf(stolen), (await negotiate(stolen)).status]).toEqual([401, 401])
    expect([await refusedWith(socket, stolen), await refusedWith(relay, stolen)]).toEqual([401, 401])
    const signOut = await fetch(`${server.url}/api/auth/logout`, { method: 'POST', headers: stolen })
    expect(signOut.status).toBe(401)
  }
  expect([await statusOf(page.headers), (await negotiate(page.headers)).status]).toEqual([200, 200])
  expect(await page.auth.me({})).toMatchObject({ email: account.email })
})

test('a page reaches the hub and the relay with its key as a subprotocol, which is not repeated', async () => {
  const page = await openPage(server)
  const { [pageKeyHeader]: key = '', ...headers } = page.headers
  const agent = await recordingAgent(owner)
  const caller = { viewer: await connectViewer(page), headers }
  const ticket = makeTicket(server.url)
  expect(await requestSession(caller, agent.id, ticket)).toMatchObject({ isSuccess: true })
  const deviceEnd = joinRelay(requestTold(agent).websocketUri)
  for (const address of [`${server.url.replace('http', 'ws')}/hubs/viewer`, ticket.requester]) {
    const socket = new WebSocket(address, pageProtocols(key), { headers })
    onTestFinished(() => socket.terminate())
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    expect(socket.protocol).toBe('farhand')
  }
  await deviceEnd
})

test('a page uses only sessions that it created: a planted cookie does not sign in', async () => {
  const page = await openPage(server)
  const { email } = (await addUser(server, owner)).user
  const otherPage = await openPage(server, email)
  const program = await server.signIn({ email })
  for (const cookie of [otherPage.cookie!, program.cookie!]) {
    expect(await statusOf({ ...page.headers, cookie })).toBe(401)
  }
  expect(await statusOf({ cookie: program.cookie! })).toBe(200)
})

test('registering in our own page creates a session with a page key', async () => {
  const fresh = await useTestServer()
  const page = Object.assign(fresh.visitor(), { pageKey: newKey() })
  await page.applianceSession.register({ body: account })
  expect(await page.auth.me({})).toMatchObject({ email: account.email })
  expect((await fetch(`${fresh.url}/api/auth/me`, { headers: { cookie: page.cookie! } })).status).toBe(401)
})

test('login?useCookies=true creates a session that works by its cookie alone', async () => {
  const response = await fetch(`${server.url}/api/auth/login?useCookies=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [pageKeyHeader]: newKey() },
    body: JSON.stringify({ email: account.email, password: account.password }),
  })
  const [cookie = ''] = response.headers.getSetCookie()[0]!.split(';')
  expect(await statusOf({ cookie })).toBe(200)
})

describe('a ticket', () => {
  const withTicket = (ticket: string, cookie: string) =>
    fetch(`${server.url}/api/auth/me?pageTicket=${ticket}`, { headers: { cookie } }).then(({ status }) => status)
  const issued = async (page: Visitor) => (await page.applianceSession.issueTicket({})).ticket

  test('replaces the key in one request of its session', async () => {
    const page = await openPage(server)
    const ticket = await issued(page)
    expect(await withTicket(ticket, page.cookie!)).toBe(200)
    expect(await withTicket(ticket, page.cookie!)).toBe(401)
    expect(await withTicket('made-up', page.cookie!)).toBe(401)
  })

  test('is valid for its own session only, for a minute, and until signing out', async () => {
    const [page, other] = [await openPage(server), await openPage(server)]
    expect(await withTicket(await issued(page), other.cookie!)).toBe(401)
    const late = await issued(page)
    clock.advance(60_000)
    expect(await withTicket(late, page.cookie!)).toBe(401)
    const left = await issued(page)
    const { cookie } = page
    await page.auth.logout({})
    expect(await withTicket(left, cookie!)).toBe(401)
  })

  test('resumes the same request for a day, and is valid for nothing else', async () => {
    const clock = manualClock(Date.now())
    const server = await useTestServer({ clock })
    await server.owner()
    const page = await openPage(server)
    const other = await openPage(server)
    const ticket = await issued(page)
    const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
      fetch(`${server.url}${path}pageTicket=${ticket}`, {
        method,
        headers: { cookie: page.cookie!, origin: server.url, ...headers },
      }).then(({ status }) => status)
    const range = { range: 'bytes=100-' }
    const path = '/api/auth/me?name=a&'
    expect(await ask(path, {})).toBe(200)
    expect([await ask(path, range), await ask(path, range)]).toEqual([200, 200])
    const others = [
      ask(path, {}),
      ask('/api/auth/me?name=b&', range),
      ask(path, { ...range, cookie: other.cookie! }),
      ask('/api/appliance/v1/session/tickets?', range, 'POST'),
    ]
    expect(await Promise.all(others)).toEqual([401, 401, 401, 401])
    clock.advance(24 * 60 * 60_000)
    expect(await ask(path, range)).toBe(401)
  })

  test('is issued to sessions with the page key only, not for a cookie alone', async () => {
    const { plainTextToken } = await owner.personalAccessTokens.create({
      tenantId: owner.tenantId,
      body: { name: 'script' },
    })
    const issue = (headers: Record<string, string>) =>
      fetch(`${server.url}/api/appliance/v1/session/tickets`, { method: 'POST', headers })
    expect((await issue({ 'x-personal-token': plainTextToken })).status).toBe(400)
    const { cookie = '', origin = '' } = (await openPage(server)).headers
    expect((await issue({ cookie, origin })).status).toBe(401)
  })
})

describe('the session of a logon token', () => {
  const newLink = async () => {
    const agent = await recordingAgent(owner)
    const body = { tenantId: owner.tenantId, deviceId: agent.id, userCorrelationId: randomUUID() }
    return (await owner.logonTokens.createForExternalUser({ body })).deviceAccessUrl
  }

  test('that our page began needs the key of the page, from its first request on', async () => {
    const guest = server.visitor()
    expect((await guest.openLink(await newLink())).status).toBe(204)
    const { cookie = '', origin = '', [pageKeyHeader]: key = '' } = guest.headers
    const attempts: Record<string, string>[] = [{}, { [pageKeyHeader]: newKey() }, { [pageKeyHeader]: '' }]
    for (const attempt of attempts) {
      expect(await statusOf({ cookie, origin, ...attempt })).toBe(401)
    }
    expect(await statusOf({ cookie, origin, [pageKeyHeader]: key })).toBe(200)
  })

  test('is begun with a key by no other origin, and a browser that opens the link gets none', async () => {
    const link = await newLink()
    const guest = server.visitor()
    expect((await guest.openLink(link, { headers: { origin: 'http://127.0.0.1:1' } })).status).toBe(403)
    const opened = await guest.fetch(link, { redirect: 'manual', headers: { accept: 'text/html' } })
    expect([opened.status, opened.headers.getSetCookie()]).toEqual([200, []])
    expect((await guest.openLink(link)).status).toBe(204)
  })

  test('works by its cookie alone for a program, whatever key it sends, and no page can bind it', async () => {
    const program = server.visitor()
    const answer = await program.fetch(await newLink(), { redirect: 'manual', headers: { [pageKeyHeader]: newKey() } })
    expect(answer.status).toBe(303)
    const cookie = program.cookie!
    expect(await statusOf({ cookie, [pageKeyHeader]: newKey() })).toBe(401)
    expect(await statusOf({ cookie })).toBe(200)
  })

  test('ends no session of a normal sign-in without a confirmation', async () => {
    const page = await openPage(server)
    const { status } = await page.openLink(await newLink())
    expect(status).toBe(409)
    expect(await page.auth.me({})).toMatchObject({ email: account.email })
  })
})

test('over TLS cookies have the __Host- prefix, and cookies without it are ignored', async () => {
  const secure = await useTestServer({ listenOn: 'https://127.0.0.1:0' })
  const page = await secure.owner()
  const { port } = new URL(secure.url)
  expect(page.cookie).toMatch(new RegExp(`^__Host-\\.Farhand\\.Identity\\.${port}=`))
  expect(page.browserCookie).toMatch(new RegExp(`^__Host-\\.Farhand\\.Browser\\.${port}=`))
  const planted = page.cookie!.replace('__Host-', '')
  expect((await fetch(`${secure.url}/api/auth/me`, { headers: { cookie: planted } })).status).toBe(401)
})

test('behind a proxy that does not mark each request as https, the cookie of TLS is still read', async () => {
  const { url } = server
  const https = { 'x-forwarded-proto': 'https' }
  const response = await fetch(`${url}/api/auth/login?useCookies=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...https },
    body: JSON.stringify({ email: account.email, password: account.password }),
  })
  const [cookie = ''] = response.headers.getSetCookie()[0]!.split(';')
  expect(cookie).toMatch(/^__Host-/)
  expect([await statusOf({ cookie }), await statusOf({ cookie, ...https })]).toEqual([200, 200])
  const plain = cookie.replace('__Host-', '')
  expect([await statusOf({ cookie: plain }), await statusOf({ cookie: plain, ...https })]).toEqual([200, 401])
  const planted = cookie.replace(/^__Host-(.*)=.*/, '$1=planted')
  expect(await statusOf({ cookie: `${planted}; ${cookie}` })).toBe(200)
})
