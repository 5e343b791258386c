import { randomUUID } from 'node:crypto'
import { TerminalAgent } from './support/terminal-agent.ts'
import { connectViewerOf } from './support/viewer.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test('the board lists a running terminal and ends it; its owner reads the reason', async ({ page, server, owner }) => {
  await page.goto(`${server.url}/sessions`)
  await expect(page.getByRole('heading', { name: 'No running sessions' })).toBeVisible()
  await expectAccessible(page)
  const colleague = await owner.users.create({
    tenantId: owner.tenantId,
    body: { userName: 'grace@example.org', password: 'Correct-Horse-7', presetNames: ['Device Superuser'] },
  })
  const grace = await server.signIn({ email: colleague.email })
  const agent = await TerminalAgent.start(owner, { isPty: true })
  const { deviceId } = agent
  const viewer = await connectViewerOf(grace)
  const mine = await connectViewerOf(owner)
  try {
    const terminalId = randomUUID()
    await viewer.hub.CreateTerminalSession2({ deviceId, terminalId })
    await viewer.hub.SendTerminalInput2({ deviceId, input: { terminalId, input: 'ls\r' } })
    await mine.hub.CreateTerminalSession2({ deviceId, terminalId: randomUUID() })
    const row = page.getByRole('row').filter({ hasText: 'grace@example.org' })
    await expect(row).toContainText('Terminal')
    await expect(row).toContainText('Connected')
    await expect(row.getByRole('checkbox')).toBeVisible()
    await expect(page.getByRole('row').filter({ hasText: 'ada@example.org' })).toContainText('You')
    await expectAccessible(page)

    await page.getByRole('button', { name: 'Mine 1' }).click()
    await expect(row).toHaveCount(0)
    await expect(page.getByText('1 session · 1 hidden by filters')).toBeVisible()
    await page.getByRole('button', { name: 'Mine 1' }).click()
    await page.getByRole('button', { name: 'Data', exact: true }).click()
    await expect(page).toHaveURL(/sort=traffic/)

    await row.getByRole('button', { name: /^End Terminal on / }).click()
    await expect(page.getByRole('textbox', { name: 'Reason' })).toBeFocused()
    await page.keyboard.type('Maintenance begins.')
    await page.keyboard.press('Enter')
    await expect(row).toHaveCount(0)
    await expect.poll(() => viewer.toasts).toHaveLength(1)
    expect(viewer.toasts[0]).toContain('ada@example.org ended the session: Maintenance begins.')

    await page.getByRole('checkbox').check()
    await page.getByRole('toolbar').getByRole('button', { name: 'End 1 session' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End 1 session' }).click()
    await expect(page.getByRole('heading', { name: 'No running sessions' })).toBeVisible()
  } finally {
    await viewer.stop()
    await mine.stop()
    await agent.stop()
  }
})

test(
  'the search field of the board keeps every letter of fast typing',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const agent = await TerminalAgent.start(owner, { isPty: true })
    const viewer = await connectViewerOf(owner)
    await viewer.hub.CreateTerminalSession2({ deviceId: agent.deviceId, terminalId: randomUUID() })
    await page.goto(`${server.url}/sessions`)
    const search = page.getByRole('searchbox')
    await search.focus()
    await page.evaluate(async () => {
      for (const letter of 'ada@') {
        document.execCommand('insertText', false, letter)
        // Yields as little as a page on a busy machine may between two letters.
        await Promise.resolve()
      }
    })
    await expect(search).toHaveValue('ada@')
    await expect(page).toHaveURL(/q=ada%40/)
    await viewer.stop()
    await agent.stop()
  },
)
