import { expect, expectAccessible } from './support/fixtures.ts'
import { TerminalAgent } from './support/terminal-agent.ts'
import { openTerminal, screen } from './support/terminal-page.ts'
import { test } from './support/stage.ts'

test(
  'a terminal is shared by a link: its guest watches on a phone, types once let, and is ended with a click',
  { tag: '@night' },
  async ({ page, browser, server, owner }) => {
    const agent: TerminalAgent = await TerminalAgent.start(owner, {
      isPty: true,
      onInput: async ({ isAttach }) => {
        if (isAttach) {
          await agent.print('earlier output\r\n$ ', { isReplay: true, isPast: true })
        }
      },
    })
    await openTerminal(page, server.url, agent)
    await agent.print('earlier output\r\n$ ')
    await page.getByRole('button', { name: 'Share this terminal' }).click()
    const dialog = page.getByRole('dialog', { name: 'Share this terminal' })
    await dialog.getByRole('textbox', { name: 'For' }).fill('Grace')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Make the link' }).click()
    await expect(dialog.getByRole('textbox', { name: 'Link' })).toBeFocused()
    const link = await dialog.getByRole('textbox', { name: 'Link' }).inputValue()
    await dialog.getByRole('button', { name: 'Done' }).click()

    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    const guest = await context.newPage()
    await guest.goto(link)
    await expect(guest).toHaveURL(`${server.url}/shared-terminal`)
    await expect(guest.getByText('You watch', { exact: true })).toBeVisible()
    await expect(screen(guest)).toContainText('earlier output')
    await expectAccessible(guest)
    // As wide as the owner's: readable, and scrolled where it is wider than the phone.
    const fontSize = () =>
      guest.locator('.xterm-rows').evaluate((element) => parseFloat(getComputedStyle(element).fontSize))
    await expect.poll(fontSize).toBe(11)
    expect(await guest.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    await guest.getByRole('button', { name: 'Larger text' }).click()
    await expect.poll(fontSize).toBe(12)
    await expect(guest.getByRole('toolbar', { name: 'Keys' })).toHaveCount(0)
    await guest.keyboard.type('rm')
    // The terminal of a guest who only watches keeps no key.
    await guest.locator('.xterm-helper-textarea').focus()
    await guest.keyboard.press('Shift+Tab')
    await expect(guest.getByRole('button', { name: 'Leave' })).toBeFocused()

    const line = page.getByText('Grace watches this terminal.')
    await expect(line).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Let Grace type' }).click()
    await expect(guest.getByText('You may type', { exact: true })).toBeVisible()
    await guest.locator('.xterm-screen').click()
    // A program asks for the cursor: the owner's page answers, once.
    await agent.print('\x1b[6n')
    const typed = () => agent.typed.replaceAll(/\x1b\[\d+;\d+R/g, '<report>')
    await expect.poll(typed).toBe('<report>')
    // Keys that are typed during a request keep their order.
    await guest.keyboard.type('ls -l /srv/backups')
    await guest.getByRole('button', { name: 'ArrowUp' }).click()
    await guest.getByRole('button', { name: 'Escape' }).click()
    await expect.poll(typed).toBe('<report>ls -l /srv/backups\x1b[A\x1b')

    // The shell gets Tab; another key leads out of the terminal, and Esc back.
    await guest.locator('.xterm-helper-textarea').focus()
    await guest.keyboard.press('Tab')
    await expect.poll(typed).toBe('<report>ls -l /srv/backups\x1b[A\x1b\t')
    await guest.keyboard.press('Control+Shift+ArrowUp')
    await expect(guest.getByRole('button', { name: 'Smaller text' })).toBeFocused()
    // The hint of the button takes the first one.
    await guest.keyboard.press('Escape')
    await guest.keyboard.press('Escape')
    await expect(guest.locator('.xterm-helper-textarea')).toBeFocused()

    await guest.reload()
    await expect(guest.getByText('You may type', { exact: true })).toBeVisible()
    await expect(screen(guest)).toContainText('earlier output')
    await page.getByRole('button', { name: 'End the sharing with Grace' }).click()
    await expect(guest.getByRole('heading', { name: 'The sharing has ended' })).toBeVisible()
    await expect(page.getByText('Grace may type')).toHaveCount(0)
    await context.close()
    await agent.stop()
  },
)
