import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from './support/fixtures.ts'
import { TerminalAgent } from './support/terminal-agent.ts'

const screen = (page: Page) => page.locator('.xterm-rows')
const connected = (page: Page) => expect(page.getByText('Connected', { exact: true })).toBeVisible()

async function openTerminal(page: Page, url: string, agent: TerminalAgent) {
  await page.goto(`${url}/devices/${agent.deviceId}/terminal`)
  await connected(page)
}

test.describe('a pseudo-terminal', () => {
  test('gets keystrokes in order, one call at a time, and the size', async ({ page, server, owner }) => {
    let running = 0
    let mostRunning = 0
    const agent = await TerminalAgent.start(owner, {
      isPty: true,
      onInput: async () => {
        mostRunning = Math.max(mostRunning, ++running)
        await new Promise((resolve) => setTimeout(resolve, 40))
        running--
      },
    })
    await openTerminal(page, server.url, agent)
    await page.keyboard.type('the quick brown fox')
    await page.keyboard.press('Control+k')
    await page.keyboard.press('Escape')
    await expect.poll(() => agent.typed).toBe('the quick brown fox\x0b\x1b')
    expect(mostRunning).toBe(1)
    expect(agent.inputs.length).toBeLessThan(15)
    expect(agent.inputs.every(({ isRaw }) => isRaw)).toBe(true)
    const columns = () => agent.inputs.findLast((input) => input.columns !== undefined)!.columns!
    const before = columns()
    await page.setViewportSize({ width: 1000, height: 600 })
    await expect.poll(columns).toBeLessThan(before)
    await expectAccessible(page)
    await agent.stop()
  })

  test('shows output that arrived before its kind was known', async ({ page, server, owner }) => {
    const agent: TerminalAgent = await TerminalAgent.start(owner, {
      isPty: true,
      onCreate: () => agent.print('early \x1b[32mbird\x1b[0m'),
    })
    await openTerminal(page, server.url, agent)
    await expect(screen(page)).toContainText('early bird')
    await agent.stop()
  })

  test('starts a new shell after the first has ended', async ({ page, server, owner }) => {
    const agent = await TerminalAgent.start(owner, { isPty: true })
    await openTerminal(page, server.url, agent)
    await agent.print('bye', { isExit: true })
    await expect(screen(page)).toContainText('The shell has ended. Press Enter to start a new one.')
    await page.keyboard.type('lost')
    await page.keyboard.press('Enter')
    await connected(page)
    expect(agent.created).toHaveLength(2)
    expect(agent.typed).toBe('')
    await expect(screen(page)).not.toContainText('bye')
    await agent.stop()
  })

  test('is attached again after a reload and after a restart of the server', async ({ page, server, owner }) => {
    const agent: TerminalAgent = await TerminalAgent.start(owner, {
      isPty: true,
      onInput: async ({ isAttach }) => {
        if (isAttach) {
          await agent.print('replayed once', { isReplay: true })
        }
      },
    })
    await openTerminal(page, server.url, agent)
    await agent.print('replayed once')
    await page.reload()
    await connected(page)
    await expect(screen(page)).toHaveText(/^\s*replayed once\s*$/)

    await server.restart()
    await agent.connect(server.url)
    await connected(page)
    await expect.poll(() => agent.inputs.filter(({ isAttach }) => isAttach).length).toBe(2)
    await expect(screen(page)).toHaveText(/^\s*replayed once\s*$/)
    expect(agent.created).toHaveLength(1)
    await agent.stop()
  })

  test('waits for a device that is offline', async ({ page, server, owner }) => {
    const agent = await TerminalAgent.start(owner, { isPty: true })
    await agent.stop()
    await page.goto(`${server.url}/devices/${agent.deviceId}/terminal`)
    await expect(page.getByRole('alert')).toContainText('The terminal opens by itself when the device is back.')
    await expectAccessible(page)
    await agent.connect(server.url)
    await connected(page)
    await expect(page.getByRole('alert')).toHaveCount(0)
    await agent.stop()
  })

  test('uses bracketed paste when the program asks for it', async ({ page, server, owner, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const agent = await TerminalAgent.start(owner, { isPty: true })
    await openTerminal(page, server.url, agent)
    await agent.print('\x1b[?2004h')
    await page.evaluate(() => navigator.clipboard.writeText('one\ntwo'))
    await page.getByRole('button', { name: 'Paste' }).click()
    await expect.poll(() => agent.typed).toBe('\x1b[200~one\rtwo\x1b[201~')
    await page.keyboard.press('Control+Shift+V')
    await expect.poll(() => agent.typed).toBe('\x1b[200~one\rtwo\x1b[201~'.repeat(2))
    await agent.stop()
  })

  // T18: the device is not trusted.
  test('does not let the device write to the clipboard or inject input', async ({ page, server, owner, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const agent = await TerminalAgent.start(owner, { isPty: true })
    await openTerminal(page, server.url, agent)
    await page.evaluate(() => navigator.clipboard.writeText('mine'))
    const stolen = Buffer.from('rm -rf /').toString('base64')
    await agent.print(
      '\x1b]0;<img src=x onerror=alert(1)>\x07\x1b]52;c;' + stolen + '\x07\x1b]52;c;?\x07\x05\x1b[21t\x1b[20tdone',
    )
    await expect(screen(page)).toContainText('done')
    await expect(page.getByText('<img src=x onerror=alert(1)>')).toBeVisible()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('mine')
    expect(agent.typed).toBe('')
    await agent.stop()
  })

  test('can search, change the font size, fill the window and be left by keyboard', async ({ page, server, owner }) => {
    const agent = await TerminalAgent.start(owner, { isPty: true })
    await openTerminal(page, server.url, agent)
    await agent.print('needle\r\nhay\r\nneedle\r\n')
    await page.keyboard.press('Control+Shift+F')
    await page.getByLabel('Find in the output').fill('needle')
    await expect(page.getByText('of 2')).toBeVisible()
    await page.keyboard.press('Escape')
    const height = () =>
      screen(page)
        .locator('div')
        .first()
        .evaluate((row) => row.getBoundingClientRect().height)
    const before = await height()
    await page.keyboard.press('Control+=')
    await expect.poll(height).toBeGreaterThan(before)
    await page.keyboard.press('Control+Shift+Enter')
    await expect(page.getByText('Ctrl+Shift+Enter leaves full screen')).toBeVisible()
    await page.keyboard.press('Control+Shift+Enter')
    await expect(page.getByText('Ctrl+Shift+Enter leaves full screen')).toHaveCount(0)
    await page.keyboard.press('Control+Shift+ArrowUp')
    await expect(page.getByRole('toolbar', { name: 'Terminal toolbar' }).locator(':focus')).toHaveCount(1)
    expect(agent.typed).toBe('')
    await agent.stop()
  })
})

test.describe('a line-based terminal', () => {
  test('is edited locally and sent line by line', async ({ page, server, owner }) => {
    const agent = await TerminalAgent.start(owner, { isPty: false })
    await openTerminal(page, server.url, agent)
    await expect(page.getByText('Line by line')).toBeVisible()
    await agent.print('Banner\nPS /> ')
    await page.keyboard.type('Get-Prcess')
    await Promise.all(Array.from({ length: 4 }, () => page.keyboard.press('ArrowLeft')))
    await page.keyboard.type('o')
    await expect(screen(page)).toContainText('PS /> Get-Process')
    await page.keyboard.press('Enter')
    await expect.poll(() => agent.inputs).toMatchObject([{ input: 'Get-Process' }])
    expect(agent.inputs[0]!.isRaw).toBeUndefined()
    await agent.print('no such thing', { outputKind: 1 })
    await expect(screen(page).locator('span.xterm-fg-1')).toContainText('no such thing')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await expect.poll(() => agent.inputs.map(({ input }) => input)).toEqual(['Get-Process', 'Get-Process'])
    await agent.stop()
  })
})
