import { describe, expect, test } from 'vitest'
import { manualClock } from '../../support/clock.ts'
import { account, ownerForFile, serverForFile, useTestServer, type TestServer } from '../../support/server.ts'

const minute = 60_000
const wrong = 'Wrong-Horse-7'

const tryPassword = (server: TestServer, password: string, email = account.email) =>
  server.visitor().applianceSession.signIn({ body: { email, password } })

/** Session cookie of a response, without its token and port. */
const cookieOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .find((cookie) => cookie.includes('.Farhand.Identity'))
    ?.replace(/Identity\.\d+=/, 'Identity=')
    .replace(/Identity=[^;]{43}/, 'Identity=TOKEN')

async function signInResponse(server: TestServer, body: object, headers: Record<string, string> = {}) {
  return server.visitor().fetch('/api/appliance/v1/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

describe('the cookie', () => {
  const server = serverForFile()
  const owner = ownerForFile(server)

  test('lasts for the browser session, or as long as browsers permit when asked to', async () => {
    const plain = await signInResponse(server, account)
    expect(cookieOf(plain)).toBe('.Farhand.Identity=TOKEN; Path=/; HttpOnly; SameSite=Lax')
    const lasting = await signInResponse(server, { ...account, staySignedIn: true })
    expect(cookieOf(lasting)).toBe('.Farhand.Identity=TOKEN; Max-Age=34560000; Path=/; HttpOnly; SameSite=Lax')
  })

  test('is restricted to encrypted connections when the request came over one', async () => {
    const response = await signInResponse(server, account, { 'x-forwarded-proto': 'https' })
    expect(cookieOf(response)).toBe('__Host-.Farhand.Identity=TOKEN; Path=/; HttpOnly; Secure; SameSite=Lax')
  })

  test('is removed by signing out, which ends the session on the server', async () => {
    const owner = await server.signIn()
    const { cookie } = owner
    const response = await owner.fetch('/api/auth/logout', { method: 'POST' })
    expect(response.status).toBe(204)
    expect(cookieOf(response)).toBe('.Farhand.Identity=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax')
    owner.cookie = cookie
    await expect(owner.auth.me({})).rejects.toMatchObject({ status: 401 })
  })

  test('has a new token at each sign-in', async () => {
    const again = await server.signIn()
    expect(again.cookie).not.toBe(owner.cookie)
    await again.auth.logout({})
    expect((await owner.auth.me({})).email).toBe(account.email)
  })
})

test('two servers on one host keep their sessions in one browser', async () => {
  const [first, second] = [await useTestServer(), await useTestServer()]
  const [{ cookie: one }, { cookie: other }] = [await first.owner(), await second.owner()]
  const headers = { cookie: `${one}; ${other}` }
  expect(one!.split('=')[0]).toBe(`.Farhand.Identity.${new URL(first.url).port}`)
  for (const { url } of [first, second]) {
    expect((await fetch(`${url}/api/auth/me`, { headers })).status).toBe(200)
  }
})

describe('lockout', () => {
  test('five wrong passwords lock the account for five minutes', async () => {
    const clock = manualClock()
    const server = await useTestServer({ clock })
    await server.owner()
    for (const isLockedOut of [false, false, false, false, true, true]) {
      expect(await tryPassword(server, wrong)).toMatchObject({ isLockedOut, user: null })
    }
    expect(await tryPassword(server, account.password)).toMatchObject({ isLockedOut: true, user: null })
    clock.advance(5 * minute - 1)
    expect(await tryPassword(server, account.password)).toMatchObject({ isLockedOut: true })
    clock.advance(1)
    expect(await tryPassword(server, account.password)).toMatchObject({
      isLockedOut: false,
      user: { email: account.email },
    })
  })

  test('the right password resets the count', async () => {
    const server = await useTestServer()
    await server.owner()
    for (const password of [wrong, wrong, wrong, wrong, account.password, wrong, wrong, wrong, wrong]) {
      expect((await tryPassword(server, password)).isLockedOut).toBe(false)
    }
    await server.signIn()
  })

  test('the lock survives a restart', async () => {
    const server = await useTestServer()
    await server.owner()
    for (let attempt = 0; attempt < 5; attempt++) {
      await tryPassword(server, wrong)
    }
    await server.restart()
    expect(await tryPassword(server, account.password)).toMatchObject({ isLockedOut: true, user: null })
  })

  test('wrong current passwords of a signed-in user are counted for their session alone', async () => {
    const server = await useTestServer()
    const owner = await server.owner()
    const change = () => owner.auth.changePassword({ body: { currentPassword: wrong, newPassword: 'New-Horse-8' } })
    for (let attempt = 0; attempt < 4; attempt++) {
      await expect(change()).rejects.toMatchObject({ status: 400, message: 'The current password is wrong.' })
    }
    await expect(change()).rejects.toMatchObject({
      message: 'The current password was wrong too often. Try again in 5 minutes.',
    })
    expect(await tryPassword(server, account.password)).toMatchObject({ isLockedOut: false })
    expect(await owner.auth.me({})).toMatchObject({ email: account.email })
  })
})

test('more than twenty attempts a minute from one address are refused, in any spelling of the path', async () => {
  const clock = manualClock()
  const server = await useTestServer({ clock })
  await server.owner()
  const paths = ['/api/appliance/v1/session', '/API/Appliance/v1/session/']
  const attempt = (index: number) =>
    server.visitor().fetch(paths[index % paths.length]!, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: `nobody-${index}@example.org`, password: wrong }),
    })
  for (let index = 0; index < 20; index++) {
    expect((await attempt(index)).status).toBe(200)
  }
  clock.advance(18_000)
  const response = await attempt(20)
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('42')
  expect(await response.json()).toMatchObject({
    title: 'Too Many Requests',
    detail: 'Too many attempts. Try again in 42 s.',
  })
  clock.advance(42_000)
  expect((await attempt(21)).status).toBe(200)
})
