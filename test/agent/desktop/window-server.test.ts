import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { chromium } from '@playwright/test'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { chromiumLaunch } from '../../../tools/chromium.mjs'
import { ownerIn } from '../../../agent/platform/linux/connections.ts'
import { WindowServer, type WindowAnswer, type WindowState } from '../../../agent/desktop/window-server.ts'
import { rawRequest } from '../../support/raw-request.ts'
import { canActAsSomebody, somebody } from '../../support/somebody.ts'
import { until } from '../../support/until.ts'

const state: WindowState = {
  title: 'Message from Ada',
  introduction: 'Ada writes to you.',
  lines: [{ name: '<i>Ada</i>', text: '<img src=x onerror="document.title=1"> https://evil.example/', isOwn: false }],
  note: '',
  send: 'Send',
  placeholder: 'Your answer',
}

const execute = promisify(execFile)

let server: WindowServer
const answers: WindowAnswer[] = []
const presence: boolean[] = []

async function openWindow(shown: WindowState = state) {
  server = new WindowServer()
  answers.length = 0
  presence.length = 0
  return await server.open(shown, {
    onAnswer: (answer) => void answers.push(answer),
    onPresence: (isPresent) => void presence.push(isPresent),
  })
}
afterEach(() => server.close())

/** Loads the first address as a browser does; returns the cookie and the window's address. */
async function load(address: string) {
  const response = await fetch(address, { redirect: 'manual' })
  const [pair = ''] = response.headers.get('set-cookie')?.split(';') ?? []
  const page = new URL(response.headers.get('location') ?? '', address).href
  return { response, cookie: pair, page }
}

const post = (page: string, cookie: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${page}answer`, {
    method: 'POST',
    headers: { cookie, origin: new URL(page).origin, ...headers },
    body: JSON.stringify(body),
  })

describe('a window in the browser', () => {
  test('is reached by an address that works once, then by a cookie that scripts cannot read', async () => {
    const { address } = await openWindow()
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//)
    const { response, cookie, page } = await load(address)
    expect(response.status).toBe(303)
    expect(response.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Lax$/)
    expect((await fetch(address, { redirect: 'manual' })).status).toBe(403)
    expect((await fetch(page)).status).toBe(403)
    const shown = await fetch(page, { headers: { cookie } })
    expect(shown.status).toBe(200)
    expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
    expect(shown.headers.get('cache-control')).toBe('no-store')
  })

  test('accepts answers of its own page only', async () => {
    const { address } = await openWindow()
    const { cookie, page } = await load(address)
    expect((await post(page, '', { text: 'a' })).status).toBe(403)
    expect((await post(page, cookie, { text: 'a' }, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await post(page, cookie, { text: 'x'.repeat(70_000) })).status).toBe(413)
    expect((await post(page, cookie, { isAllowed: 'yes' })).status).toBe(400)
    expect(answers).toEqual([])
    expect((await post(page, cookie, { isAllowed: true })).status).toBe(204)
    expect(answers).toEqual([{ isAllowed: true, lasts: 'once' }])
  })

  test('is not shown under another name, as a page of the net that resolves to us would ask', async () => {
    const { address } = await openWindow()
    const { origin, port, pathname } = new URL(address)
    const { status } = await rawRequest(origin, pathname, { headers: { host: `evil.example:${port}` } })
    expect(status).toBe(403)
    expect((await load(address)).response.status).toBe(303)
  })

  test('knows nothing of the others and nothing after its end', async () => {
    const first = await openWindow()
    const second = await server.open(state, { onAnswer: () => {}, onPresence: () => {} })
    const { cookie } = await load(first.address)
    const { page, cookie: own } = await load(second.address)
    expect((await fetch(page, { headers: { cookie } })).status).toBe(403)
    second.close()
    expect((await fetch(page, { headers: { cookie: own } })).status).toBe(404)
  })

  test.skipIf(!canActAsSomebody)('is closed to other users of the device, whatever they know', async () => {
    const { address } = await openWindow()
    const script = `fetch(${JSON.stringify(address)}).then(({ status }) => console.log(status))`
    const other = { ...somebody, cwd: '/', encoding: 'utf8' } as const
    const { stdout } = await execute(process.execPath, ['-e', script], other)
    expect(stdout.trim()).toBe('403')
    expect((await load(address)).response.status).toBe(303)
  })

  test.skipIf(!canActAsSomebody)(
    'has room for its person while another user of the device holds connections open',
    async () => {
      const { address } = await openWindow()
      const script = `
        const connect = () => require('net').connect(${new URL(address).port}, '127.0.0.1').on('error', () => {})
        const sockets = Array.from({ length: 150 }, connect)
        setTimeout(() => console.log('held'), 1000)
        setInterval(() => {}, 1000)`
      const other = spawn(process.execPath, ['-e', script], { ...somebody, cwd: '/' })
      onTestFinished(() => void other.kill())
      await once(other.stdout, 'data')
      expect((await load(address)).response.status).toBe(303)
    },
  )

  test('shows its messages as text, follows changes, and sends the input (T18)', async () => {
    const window = await openWindow()
    const browser = await chromium.launch(chromiumLaunch())
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    await page.goto(window.address)
    await page.waitForSelector('#lines .line')
    expect(await page.textContent('#lines .line span')).toBe(state.lines[0]!.text)
    expect(await page.locator('#lines img, #lines a, #lines i').count()).toBe(0)
    expect(await page.title()).toBe('Message from Ada')
    await page.keyboard.type('First\nSecond'.replace('\n', ' '))
    await page.keyboard.press('Enter')
    await until(() => answers.length === 1)
    expect(answers).toEqual([{ text: 'First Second' }])
    window.update({ ...state, lines: [], note: 'Over.', send: '' })
    // The page's policy forbids evaluation, so the test cannot use a function.
    await page.locator('#note', { hasText: 'Over.' }).waitFor()
    expect(await page.isVisible('#answer')).toBe(false)
    expect(presence).toEqual([true])
    await page.close()
    await until(() => presence.length === 2)
    expect(presence).toEqual([true, false])
    expect(problems).toEqual([])
  })
})

test('the owner of a connection is read from the Linux connection table', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 1 1',
    '   1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1042        0 2 1',
  ].join('\n')
  expect(ownerIn(table, 50_000, 8080)).toBe(1042)
  expect(ownerIn(table, 8080, 50_000)).toBe(0)
  expect(ownerIn(table, 50_001, 8080)).toBeUndefined()
})
