import { terminalNotOpen } from '../../shared/dtos/hub-result.ts'
import { answerUploads, dropFile } from './support/files.ts'
import { expect, expectAccessible } from './support/fixtures.ts'
import { later } from '../support/until.ts'
import { TerminalAgent } from './support/terminal-agent.ts'
import { connected, openTerminal, screen } from './support/terminal-page.ts'
import { test } from './support/stage.ts'

/** Asks for device attributes, the cursor's position, the background color, and reports of the focus. */
const queries = '\x1b[c\x1b[6n\x1b]11;?\x07\x1b[?1004h'

test.describe('a pseudo-terminal', () => {
  test('shows output that arrived before its kind was known; gets keystrokes in order, one call at a time, and the size', async ({
    page,
    server,
    owner,
  }) => {
    let running = 0
    let mostRunning = 0
    const agent: TerminalAgent = await TerminalAgent.start(owner, {
      isPty: true,
      onCreate: () => agent.print('early \x1b[32mbird\x1b[0m'),
      onInput: async () => {
        mostRunning = Math.max(mostRunning, ++running)
        await new Promise<void>((resolve) => later(40, resolve))
        running--
      },
    })
    await openTerminal(page, server.url, agent)
    await expect(screen(page)).toContainText('early bird')
    await page.keyboard.type('the quick brown fox')
    await page.keyboard.press('Control+k')
    await page.keyboard.press('Escape')
    await expect.poll(() => agent.typed).toBe('the quick brown fox\x0b\x1b')
    expect(mostRunning).toBe(1)
    expect(agent.inputs.every(({ isRaw }) => isRaw)).toBe(true)
    const columns = () => agent.inputs.findLast((input) => input.columns !== undefined)!.columns!
    const before = columns()
    await page.setViewportSize({ width: 1000, height: 600 })
    await expect.poll(columns).toBeLessThan(before)
    await expectAccessible(page)
    await agent.stop()
  })

  test('starts a new shell after the first has ended', { tag: '@night' }, async ({ page, server, owner }) => {
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

  test(
    'is attached again after a reload and after a restart of the server',
    { tag: '@night' },
    async ({ page, server, owner }) => {
      const agent: TerminalAgent = await TerminalAgent.start(owner, {
        isPty: true,
        onInput: async ({ isAttach }) => {
          if (isAttach) {
            await agent.print(`${queries}replayed once`, { isReplay: true, isPast: true })
          }
        },
      })
      await openTerminal(page, server.url, agent)
      await agent.print(`${queries}replayed once`)
      // Device attributes, the cursor's position and the background color.
      await expect.poll(() => agent.typed).toMatch(/^\x1b\[\?1;2c\x1b\[1;1R\x1b\]11;rgb:.+\x1b\[I$/)
      const { typed } = agent
      await page.reload()
      await connected(page)
      await expect(screen(page)).toHaveText(/^\s*replayed once\s*$/)

      await server.restart()
      await agent.connect(server.url)
      await connected(page)
      await expect.poll(() => agent.inputs.filter(({ isAttach }) => isAttach).length).toBe(2)
      await expect(screen(page)).toHaveText(/^\s*replayed once\s*$/)
      expect(agent.created).toHaveLength(1)
      await page.keyboard.type('ls')
      await expect.poll(() => agent.typed).toBe(`${typed}ls`)
      await agent.stop()
    },
  )

  test(
    'says that the shell is a new one when the agent was restarted',
    { tag: '@night' },
    async ({ page, server, owner }) => {
      const agent = await TerminalAgent.start(owner, { isPty: true })
      await openTerminal(page, server.url, agent)
      await agent.print('work of the morning')
      await agent.stop()
      await expect(page.getByText('Device unreachable')).toBeVisible()
      agent.refuse = ({ terminalId }) => (terminalId === agent.created[0] ? terminalNotOpen : undefined)
      await agent.connect(server.url)
      await connected(page)
      await expect(screen(page)).toContainText('This is a new shell.')
      await expect(screen(page)).toContainText('work of the morning')
      expect(agent.created).toHaveLength(2)
      await agent.stop()
    },
  )

  test('keeps the focus when its tools are clicked', { tag: '@night' }, async ({ page, server, owner }) => {
    const agent = await TerminalAgent.start(owner, { isPty: true })
    await openTerminal(page, server.url, agent)
    const typing = page.locator('.xterm-helper-textarea')
    for (const name of ['Full screen', 'Leave full screen', 'Terminal 1 test-shell 1']) {
      await page.getByRole('button', { name, exact: true }).click()
      await expect(typing).toBeFocused()
    }
    await page
      .getByRole('toolbar', { name: 'Terminal toolbar' })
      .getByRole('button', { name: 'More', exact: true })
      .click()
    for (const name of ['Larger text', 'Clear']) {
      await page.getByRole('menuitem', { name }).click()
      await expect(typing).toBeFocused()
    }
    await page.keyboard.press('Control+Shift+ArrowUp')
    await page.keyboard.press('Escape')
    await expect(page.locator('.xterm-helper-textarea')).toBeFocused()
    await agent.stop()
  })

  test('waits for a device that is offline', { tag: '@night' }, async ({ page, server, owner }) => {
    const agent = await TerminalAgent.start(owner, { isPty: true })
    await agent.stop()
    await page.goto(`${server.url}/devices/${agent.deviceId}/terminal`)
    await expect(page.getByRole('alert')).toContainText('The terminal opens when the device is back online.')
    await expectAccessible(page)
    await agent.connect(server.url)
    await connected(page)
    await expect(page.getByRole('alert')).toHaveCount(0)
    await agent.stop()
  })

  test(
    'says which key pastes; asks before a paste of several lines, according to the setting, and brackets them',
    { tag: '@night' },
    async ({ page, server, owner, context }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      const agent = await TerminalAgent.start(owner, { isPty: true })
      await openTerminal(page, server.url, agent)
      await page.keyboard.press('Control+v')
      await expect(page.getByText('Ctrl+V was sent to the shell. Press Ctrl+Shift+V to paste.')).toBeVisible()
      await expect.poll(() => agent.typed).toBe('\x16')
      await agent.print('\x1b[?2004h')
      await page.evaluate(() => navigator.clipboard.writeText('one\ntwo'))
      const pasted = '\x1b[200~one\rtwo\x1b[201~'
      const question = page.getByRole('dialog', { name: 'Paste 2 lines' })
      await page.getByRole('button', { name: 'Paste', exact: true }).click()
      await expect(question.getByLabel('Text to paste')).toHaveText('one⏎ two')
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      await expect(question).toHaveCount(0)
      expect(agent.typed).toBe('\x16')
      await page.keyboard.press('Control+Shift+V')
      await expect(question.getByRole('button', { name: 'Paste 2 lines' })).toBeFocused()
      await page.keyboard.press('Enter')
      await expect.poll(() => agent.typed).toBe(`\x16${pasted}`)
      await page.keyboard.press('Control+Shift+V')
      await question.getByLabel('Do not ask again').check()
      await question.getByRole('button', { name: 'Paste 2 lines' }).click()
      await expect.poll(() => agent.typed).toBe(`\x16${pasted.repeat(2)}`)
      await page.reload()
      await connected(page)
      await agent.print('\x1b[?2004hready')
      await expect(screen(page)).toContainText('ready')
      await page.keyboard.press('Control+Shift+V')
      await expect.poll(() => agent.typed).toBe(`\x16${pasted.repeat(3)}`)
      await agent.stop()
    },
  )

  // T18: the device is untrusted.
  test('does not let the device write to the clipboard or inject input', async ({ page, server, owner, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const agent = await TerminalAgent.start(owner, { isPty: true })
    await openTerminal(page, server.url, agent)
    await page.evaluate(() => navigator.clipboard.writeText('mine'))
    const stolen = Buffer.from('rm -rf /').toString('base64')
    await agent.print(
      '\x1b]0;\u202e<img src=x onerror=alert(1)>\x07\x1b]52;c;' +
        stolen +
        '\x07\x1b]52;c;?\x07\x05\x1b[21t\x1b[20tdone',
    )
    await agent.print(' \x1b]8;;https://attacker.example/\x07link\x1b]8;;\x07')
    await expect(screen(page)).toContainText('done')
    await expect(page.getByText('<img src=x onerror=alert(1)>', { exact: true })).toBeVisible()
    await agent.print(' \x1b]8;;javascript:alert(1)\x07script\x1b]8;;\x07 https://plain.example/path')
    const click = (text: string, modifiers: ['Control'] | [] = ['Control']) =>
      screen(page).getByText(text, { exact: true }).click({ modifiers, force: true })
    const question = page.getByRole('dialog', { name: 'Open a link of the device' })
    await click('script')
    await click('link', [])
    await expect(page.getByText('Ctrl+click opens attacker.example')).toBeVisible()
    await expect(question).toHaveCount(0)
    await click('link')
    await expect(question).toContainText('https://attacker.example/')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(question).toHaveCount(0)
    expect(context.pages()).toHaveLength(1)
    await context.route('https://plain.example/path', (route) => route.fulfill({ body: 'opened' }))
    await click('https://plain.example/path')
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      question.getByRole('link', { name: 'Open link' }).click(),
    ])
    await expect(opened.getByText('opened')).toBeVisible()
    await opened.close()
    await expect(page.locator('.xterm-helper-textarea')).toBeFocused()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('mine')
    expect(agent.typed).toBe('')
    await agent.stop()
  })

  test(
    'sends dropped files to the folder of the person; a drop elsewhere leaves the page',
    { tag: '@night' },
    async ({ page, server, owner }) => {
      const agent = await TerminalAgent.start(owner, { isPty: true })
      await page.route('**/path-segments*', (route) => {
        const { targetPath } = route.request().postDataJSON() as { targetPath: string }
        return route.fulfill({
          json: { success: true, pathExists: targetPath === '/root', pathSegments: [], errorMessage: null },
        })
      })
      await page.route('**/desktop-sessions*', (route) => route.fulfill({ json: { items: [] } }))
      await page.route('**/device-file-system/contents*', (route) =>
        route.fulfill({ json: { directoryExists: true, entries: [], isTruncated: false } }),
      )
      const uploads = await answerUploads(page)
      await openTerminal(page, server.url, agent)
      expect(await dropFile(page.getByTestId('terminal'), 'note.txt')).toBe(true)
      await expect(page.getByText('Sending 1 file to /root', { exact: true })).toBeVisible()
      await expect.poll(() => uploads).toMatchObject([{ targetDirectory: '/root', fileName: 'note.txt' }])
      expect(await dropFile(page.locator('nav').first(), 'note.txt')).toBe(true)
      expect(uploads).toHaveLength(1)
      await agent.stop()
    },
  )

  test(
    'supports search, font size and full screen by keyboard, also when it is left before the browser has entered it',
    { tag: '@night' },
    async ({ page, server, owner }) => {
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
      await page.keyboard.press('Escape')
      await expect(page.locator('.xterm-helper-textarea')).toBeFocused()

      await page.evaluate(() => {
        const slowly = Element.prototype.requestFullscreen
        Element.prototype.requestFullscreen = async function (options) {
          // Granted once the user's keys were pressed twice.
          let presses = 0
          await new Promise<void>((resolve) =>
            addEventListener('keyup', ({ key }) => key === 'Enter' && ++presses === 2 && resolve(), true),
          )
          await slowly.call(this, options)
        }
        document.addEventListener('fullscreenchange', () => document.documentElement.append('changed '))
      })
      await page.keyboard.press('Control+Shift+Enter')
      await page.keyboard.press('Control+Shift+Enter')
      await expect(page.locator('html')).toContainText('changed changed')
      expect(await page.evaluate(() => document.fullscreenElement)).toBeNull()
      expect(agent.typed).toBe('')
      await agent.stop()
    },
  )
})
