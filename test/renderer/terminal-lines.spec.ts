import { successOf } from '../../shared/dtos/hub-result.ts'
import { expect, expectAccessible } from './support/fixtures.ts'
import { TerminalAgent } from './support/terminal-agent.ts'
import { connected, openTerminal, screen } from './support/terminal-page.ts'
import { test } from './support/stage.ts'

test.describe('a line-based terminal', () => {
  test(
    'is edited locally and sent line by line, and completed by PowerShell in sequence or from a list',
    { tag: '@night' },
    async ({ page, server, owner, context }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      const names = ['Get-Process', 'Get-PSDrive', 'Get-Package']
      let step = -1
      const agent = await TerminalAgent.start(owner, {
        isPty: false,
        complete: ({ lastCompletionInput, forward }) => {
          step += forward ? 1 : -1
          const matches = forward === null ? names : names.slice(step, step + 1)
          return successOf({
            replacementIndex: 0,
            replacementLength: lastCompletionInput.length,
            completionMatches: matches.map((name) => ({
              completionText: name,
              listItemText: name,
              matchType: 2,
              toolTip: '',
            })),
            hasMorePages: false,
            totalCount: names.length,
            currentPage: 0,
          })
        },
      })
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
      await page.evaluate(() => navigator.clipboard.writeText('Get-Date'))
      await page.keyboard.press('Control+v')
      await expect(screen(page)).toContainText('Get-Date')
      await page.getByRole('link', { name: 'Devices' }).first().click()
      await expect(page.getByRole('grid')).toBeVisible()
      await page.goBack()
      await connected(page)
      await expect(screen(page)).toContainText('Get-Date')
      expect(agent.closed).toEqual([])
      await page.reload()
      await connected(page)
      await expect(screen(page)).toContainText('This is a new shell.')
      await expect.poll(() => agent.closed).toEqual([agent.created[0]])

      agent.inputs.length = 0
      await agent.print('PS /> ')
      await page.keyboard.type('Get-P')
      await page.keyboard.press('Tab')
      await expect(screen(page)).toContainText('PS /> Get-Process')
      await page.keyboard.press('Tab')
      await expect(screen(page)).toContainText('PS /> Get-PSDrive')
      await page.keyboard.press('Shift+Tab')
      await expect(screen(page)).toContainText('PS /> Get-Process')
      await page.keyboard.press('Control+u')
      await page.keyboard.type('Get-P')
      await page.keyboard.press('Control+Space')
      const list = page.getByRole('listbox', { name: 'Completions' })
      await expect(list).toBeFocused()
      await expectAccessible(page)
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await expect(list).toHaveCount(0)
      await page.keyboard.type(' x')
      await expect(screen(page)).toContainText('PS /> Get-Package x')
      await page.keyboard.press('Control+Space')
      await expect(list).toBeFocused()
      await page.keyboard.type('y')
      await expect(list).toHaveCount(0)
      await expect(screen(page)).toContainText('PS /> Get-Package xy')
      expect(agent.inputs).toEqual([])
      await agent.stop()
    },
  )
})
