import type { Page } from '@playwright/test'
import { terminalNotOpen } from '../../shared/dtos/hub-result.ts'
import { expect, expectAccessible } from './support/fixtures.ts'
import { TerminalAgent } from './support/terminal-agent.ts'
import { connected, openTerminal, screen } from './support/terminal-page.ts'
import { test } from './support/stage.ts'

const held = (page: Page) => page.getByLabel('Typed and not sent')
const question = (page: Page) => page.getByText('Connected again. Send what you typed meanwhile?')

const hangFor = (isSlow: boolean) => (isSlow ? new Promise<void>(() => {}) : Promise.resolve())

test('keys typed while the server, the device or a call does not answer are shown, and sent only after Ctrl+Enter, or discarded', async ({
  page,
  server,
  owner,
}) => {
  let answer = () => {}
  const agent = await TerminalAgent.start(owner, {
    isPty: true,
    onInput: ({ input }) => (input === 'a' ? new Promise<void>((resolve) => (answer = resolve)) : Promise.resolve()),
  })
  await openTerminal(page, server.url, agent)
  await page.keyboard.type('cd /tmp')
  await expect.poll(() => agent.typed).toBe('cd /tmp')
  // The page must know that the input has arrived, or it would offer it again.
  await agent.print('here')
  await expect(screen(page)).toContainText('here')
  await server.whileStopped(async () => {
    await expect(page.getByText('Reconnecting…')).toBeVisible()
    await page.keyboard.type('rm -rf xy')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Enter')
    await expect(page.getByText('Not connected. Nothing you type is sent.')).toBeVisible()
    await expect(held(page)).toHaveText('rm -rf x⏎')
    await expect(page.getByRole('button', { name: 'Send' })).toHaveCount(0)
  })
  await agent.connect(server.url)
  await connected(page)
  await expect(question(page)).toBeVisible()
  await expectAccessible(page)
  // Typing on does not answer the question.
  await page.keyboard.type('ls')
  await page.keyboard.press('Enter')
  await expect(held(page)).toHaveText('rm -rf x⏎ ls⏎')
  expect(agent.typed).toBe('cd /tmp')
  await page.keyboard.press('Control+Enter')
  await expect.poll(() => agent.typed).toBe('cd /tmprm -rf x\rls\r')
  await expect(held(page)).toHaveCount(0)
  await page.keyboard.type('pwd')
  await expect.poll(() => agent.typed).toBe('cd /tmprm -rf x\rls\rpwd')

  // The device goes offline.
  agent.inputs.length = 0
  await agent.print('there')
  await expect(screen(page)).toContainText('there')
  await agent.stop()
  await expect(page.getByRole('alert').filter({ hasText: 'The agent is not responding.' })).toBeVisible()
  await page.keyboard.type('reboot')
  await page.keyboard.press('Enter')
  await expect(held(page)).toHaveText('reboot⏎')
  await agent.connect(server.url)
  await connected(page)
  await expect(question(page)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(held(page)).toHaveCount(0)
  await page.keyboard.type('ls')
  await expect.poll(() => agent.typed).toBe('ls')

  // A call stays without an answer.
  agent.inputs.length = 0
  await page.keyboard.type('a')
  await expect.poll(() => agent.typed).toBe('a')
  await page.keyboard.type('halt')
  await page.keyboard.press('Enter')
  await expect(held(page)).toHaveText('halt⏎')
  await expect(page.getByText('Device unreachable')).toBeVisible()
  answer()
  await connected(page)
  await expect(question(page)).toBeVisible()
  expect(agent.typed).toBe('a')
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.keyboard.type('b')
  await expect.poll(() => agent.typed).toBe('ab')
  await agent.stop()
})

test(
  'keys and lines typed before the shell has started are held',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    let open = () => {}
    const opened = new Promise<void>((resolve) => (open = resolve))
    const agent = await TerminalAgent.start(owner, { isPty: false, onCreate: () => opened })
    await page.goto(`${server.url}/devices/${agent.deviceId}/terminal`)
    await expect(page.getByText('Opening a shell…')).toBeVisible()
    await page.keyboard.type('Stop-Computer')
    await page.keyboard.press('Enter')
    await expect(held(page)).toHaveText('Stop-Computer⏎')
    open()
    await connected(page)
    await expect(question(page)).toBeVisible()
    expect(agent.inputs).toEqual([])
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => agent.inputs).toMatchObject([{ input: 'Stop-Computer' }])
    await agent.stop()
  },
)

test('keys for an ended shell are held for its successor', { tag: '@night' }, async ({ page, server, owner }) => {
  const agent = await TerminalAgent.start(owner, { isPty: true })
  await openTerminal(page, server.url, agent)
  agent.refuse = ({ terminalId }) => (terminalId === agent.created[0] ? terminalNotOpen : undefined)
  await page.keyboard.type('q')
  await expect(page.locator('.xterm-rows')).toContainText('This is a new shell.')
  await expect(question(page)).toBeVisible()
  await expect(held(page)).toHaveText('q')
  expect(agent.typed).toBe('')
  await page.keyboard.press('Control+Enter')
  await expect.poll(() => agent.typed).toBe('q')
  await agent.stop()
})

test('keys of a broken call are offered, not sent again', { tag: '@night' }, async ({ page, server, owner }) => {
  const agent = await TerminalAgent.start(owner, { isPty: true, onInput: ({ input }) => hangFor(input === 'x') })
  await openTerminal(page, server.url, agent)
  await page.keyboard.type('x')
  await expect.poll(() => agent.typed).toBe('x')
  await server.whileStopped(async () => {
    await expect(page.getByText('Reconnecting…')).toBeVisible()
  })
  await agent.connect(server.url)
  await connected(page)
  await expect(question(page)).toBeVisible()
  await expect(page.getByText('Check the screen first')).toBeVisible()
  await expect(held(page)).toHaveText('x')
  expect(agent.typed).toBe('x')
  await agent.stop()
})
