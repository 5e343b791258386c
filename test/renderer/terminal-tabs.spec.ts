import { tmpdir } from 'node:os'
import type { Page } from '@playwright/test'
import { startRealDevice } from '../support/real-device.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'
import { TerminalAgent } from './support/terminal-agent.ts'
import { connected, openTerminal, screen } from './support/terminal-page.ts'

test.describe('several terminals', () => {
  test(
    'plus opens another tab; closing a tab ends only its own shell',
    { tag: '@night' },
    async ({ page, server, owner }) => {
      const agent = await TerminalAgent.start(owner, { isPty: true })
      await openTerminal(page, server.url, agent)
      await agent.print('first')
      await page.getByRole('button', { name: 'New terminal' }).click()
      await expect.poll(() => agent.created.length).toBe(2)
      expect(agent.closed).toEqual([])
      await agent.print('second')
      await expect(screen(page).filter({ visible: true })).toContainText('second')
      await connected(page)
      await page.keyboard.type('typed')
      await expect.poll(() => agent.inputs.findLast(({ input }) => input !== '')?.terminalId).toBe(agent.created[1])
      await expectAccessible(page)

      await page.getByRole('button', { name: /^Terminal 1/ }).click()
      await expect(screen(page).filter({ visible: true })).toContainText('first')
      await page.getByRole('button', { name: 'Close terminal 2' }).click()
      await expect.poll(() => agent.closed).toEqual([agent.created[1]])
      await expect(page.getByRole('button', { name: /^Terminal / })).toHaveCount(1)
      await page.keyboard.type('on')
      await expect.poll(() => agent.inputs.findLast(({ input }) => input !== '')?.terminalId).toBe(agent.created[0])
      await agent.stop()
    },
  )

  test(
    'continue while other pages are shown, and are ended there',
    { tag: '@night' },
    async ({ page, server, owner }) => {
      const agent = await TerminalAgent.start(owner, { isPty: true })
      await openTerminal(page, server.url, agent)
      await agent.print('before')
      await page.getByRole('link', { name: 'Devices', exact: true }).first().click()
      const chips = page.getByRole('list', { name: 'Your running sessions' })
      await expect(chips.getByRole('link', { name: /^Back to Terminal on / })).toBeVisible()
      await expect(page).toHaveTitle(/^Devices/)
      // An address that does not exist, followed without loading the page again.
      await page.evaluate((address) => {
        history.pushState({}, '', address)
        dispatchEvent(new PopStateEvent('popstate', { state: {} }))
      }, `/devices/${agent.deviceId}/nonsense`)
      await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
      await page.getByRole('link', { name: 'Devices', exact: true }).first().click()
      await agent.print(' meanwhile')
      await chips.getByRole('link').click()
      await expect(screen(page)).toContainText('before meanwhile')
      await expect(chips).toHaveCount(0)
      await page.keyboard.type('ls')
      await expect.poll(() => agent.typed).toBe('ls')
      expect(agent.inputs.some(({ isAttach }) => isAttach)).toBe(false)
      await page.getByRole('link', { name: 'Sessions', exact: true }).first().click()
      await chips.getByRole('button', { name: /^End Terminal on / }).click()
      await expect(chips).toHaveCount(0)
      await expect.poll(() => agent.closed).toEqual(agent.created)
      await agent.stop()
    },
  )

  test('all tabs return after a reload, with their names', { tag: '@night' }, async ({ page, server, owner }) => {
    const agent = await TerminalAgent.start(owner, { isPty: true })
    await openTerminal(page, server.url, agent)
    await page.getByRole('button', { name: 'New terminal' }).click()
    await expect.poll(() => agent.created).toHaveLength(2)
    await expect.poll(() => agent.inputs.map(({ terminalId }) => terminalId)).toContain(agent.created[1])
    // Sent to the second terminal, in whatever order both print.
    const title = () => agent.print('\x1b]0;root@oslo\x07', { terminalId: agent.created[1]! })
    await title()
    const [first, second] = [
      page.getByRole('button', { name: /^Terminal 1/ }),
      page.getByRole('button', { name: /^Terminal 2/ }),
    ]
    await expect(first).toHaveText('test-shell 1')
    await expect(second).toHaveText('root@oslo')
    await second.dblclick()
    await page.getByLabel('Name of terminal 2').fill('backup')
    await page.keyboard.press('Enter')
    await expect(second).toHaveText('backup')
    await expect(page.locator('.xterm-helper-textarea').nth(1)).toBeFocused()
    await page.reload()
    const attached = () => agent.inputs.filter(({ isAttach }) => isAttach).map(({ terminalId }) => terminalId)
    await expect.poll(() => attached().toSorted()).toEqual(agent.created.toSorted())
    await expect(second).toHaveAttribute('aria-current', 'true')
    await expect(second).toHaveText('backup')
    await title()
    await second.focus()
    await page.keyboard.press('F2')
    await page.keyboard.press('Delete')
    await page.keyboard.press('Enter')
    await expect(second).toHaveText('root@oslo')
    await agent.stop()
  })

  test(
    'panes stand side by side, each with its own shell, and closing one returns its space',
    { tag: '@night' },
    async ({ page, server, owner }) => {
      const agent = await TerminalAgent.start(owner, { isPty: true })
      await openTerminal(page, server.url, agent)
      const typedInto = () =>
        agent.created.indexOf(agent.inputs.findLast(({ input }) => input !== '')?.terminalId ?? '')
      const type = async (text: string, pane: number) => {
        await page.keyboard.type(text)
        await expect.poll(() => agent.typed.endsWith(text)).toBe(true)
        expect(typedInto()).toBe(pane)
      }
      await page.keyboard.press('Alt+Shift+Equal')
      await expect.poll(() => agent.created.length).toBe(2)
      await connected(page)
      await type('b', 1)
      await page.getByRole('button', { name: 'Split top and bottom' }).click()
      await expect.poll(() => agent.created.length).toBe(3)
      await connected(page)
      await type('c', 2)
      await page.keyboard.press('Alt+Shift+ArrowLeft')
      await type('a', 0)
      await page.keyboard.press('Alt+Shift+ArrowRight')
      await type('d', 1)
      await expectAccessible(page)

      const first = page.getByRole('region').first()
      const width = async () => Math.round((await first.boundingBox())!.width)
      const half = await width()
      const divider = page.getByRole('separator', { name: 'Divider between panes' }).first()
      const { x, y } = (await divider.boundingBox())!
      await page.mouse.move(x + 4, y + 100)
      await page.mouse.down()
      await page.mouse.move(x + 104, y + 100)
      await page.mouse.up()
      const isMoved = async () => Math.abs((await width()) - half - 100) < 3
      await expect.poll(isMoved).toBe(true)
      await type('e', 1)
      await page.reload()
      await connected(page)
      await expect(page.getByRole('region')).toHaveCount(3)
      await expect.poll(isMoved).toBe(true)
      await divider.focus()
      await page.keyboard.press('ArrowLeft')
      await expect.poll(isMoved).toBe(false)
      await page.keyboard.press('Escape')
      await type('f', 1)

      await page.keyboard.press('Alt+Shift+W')
      await expect.poll(() => agent.closed).toEqual([agent.created[1]])
      await type('g', 2)
      await page.getByRole('button', { name: 'Close pane' }).last().click()
      await expect.poll(() => agent.closed).toEqual([agent.created[1], agent.created[2]])
      await expect(page.getByRole('separator')).toHaveCount(0)
      await expect.poll(width).toBeGreaterThan(half * 1.9)
      await type('h', 0)
      expect(agent.created).toHaveLength(3)
      await agent.stop()
    },
  )
})

test(
  'a chosen real shell continues in another browser, shows the same text in both, and reports its end',
  { tag: '@night' },
  async ({ page, server, owner, browser, context }) => {
    // With an empty home folder, so that the user's shell configuration does not matter.
    const device = await startRealDevice(owner, { HOME: tmpdir() })
    const address = `${server.url}/devices/${device.id}/terminal`
    await page.goto(address)
    await connected(page)
    const shown = (of: Page) => screen(of).filter({ visible: true })
    const run = (of: Page, command: string) => of.keyboard.type(`${command}\r`)
    await run(page, 'echo one-$((1+1))-${0##*/}')
    await expect(shown(page)).toContainText('one-2-bash')
    await page.getByRole('button', { name: 'Choose a shell' }).click()
    await page.getByRole('menuitem', { name: 'sh', exact: true }).click()
    await expect(page.getByRole('button', { name: /^Terminal 2/ })).toHaveAttribute('aria-current', 'true')
    await connected(page)
    await run(page, 'echo two-$((1+1))-${0##*/}')
    await expect(shown(page)).toContainText('two-2-sh')
    await page.getByRole('button', { name: 'New terminal', exact: true }).click()
    await connected(page)
    await run(page, 'echo three-${0##*/}')
    await expect(shown(page)).toContainText(/three-\W*sh/)
    await page.keyboard.press('Alt+Shift+W')
    await expect(page.getByRole('button', { name: /^Terminal / })).toHaveCount(2)

    // Leaves the device page and returns.
    await page.getByRole('link', { name: 'Devices' }).first().click()
    await page.waitForURL(/\/devices$/)
    await page.goBack()
    await connected(page)
    await expect(shown(page)).toContainText('two-2-sh')

    const storageState = await context.storageState()
    const elsewhere = await browser.newContext({ viewport: { width: 900, height: 600 }, storageState })
    const there = await elsewhere.newPage()
    await there.goto(address)
    await connected(there)
    await there.getByRole('button', { name: /one of 2 running terminals of yours/ }).click()
    await there.getByRole('menuitem', { name: /^sh used/ }).click()
    await expect(shown(there)).toContainText('two-2-sh')
    await connected(there)
    // The viewer who typed last sets the size.
    await expect(page.getByText('Sized for another window.')).toBeVisible()
    await run(there, 'stty size; echo from-$((40+2))')
    await expect(shown(page)).toContainText('from-42')
    await page.bringToFront()
    await page.getByRole('button', { name: 'Fit to this window' }).click()
    await run(page, 'echo back-$((40+3))')
    await expect(shown(there)).toContainText('back-43')
    await expect(there.getByText('Sized for another window.')).toBeVisible()
    await expect(page.getByText('Sized for another window.')).toHaveCount(0)
    await run(page, 'exit')
    for (const each of [page, there]) {
      await expect(shown(each)).toContainText('The shell has ended. Press Enter to start a new one.')
    }
    await elsewhere.close()
    await device.stop()
  },
)
