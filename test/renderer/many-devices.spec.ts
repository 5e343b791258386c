import type { Page } from '@playwright/test'
import { endCommandType } from '../../shared/dtos/run-command.ts'
import type { SimulatedAgent } from '../../tools/simulate/agent.ts'
import { successOf } from '../../shared/dtos/hub-result.ts'
import { startRealDevice } from '../support/real-device.ts'
import { until } from '../support/until.ts'
import { expect, expectAccessible, expectFew, test } from './support/fixtures.ts'

const rows = (page: Page) => page.locator('[role=row][data-index]')
const results = (page: Page) => page.getByRole('list', { name: 'Devices' }).getByRole('button')

/** Makes devices run commands: they print the text of `say`, or wait to be ended without one. */
function commands(agents: readonly SimulatedAgent[], say: (index: number) => string | undefined) {
  const told: string[] = []
  // Devices count as offline after 30 s of silence. The timer ends with its worker.
  setInterval(() => agents.forEach((agent) => agent.ping()), 5_000).unref()
  const enders = new Map<string, () => void>()
  agents.forEach((agent, index) => {
    agent.onCall = async (target, args) => {
      if (target !== 'ReceiveDto') {
        told.push(target)
        return undefined
      }
      const { dtoType, payload } = args[0] as { dtoType: string; payload: string }
      const { runId } = JSON.parse(Buffer.from(payload, 'base64').toString()) as { runId: string }
      told.push(dtoType)
      if (dtoType === endCommandType) {
        enders.get(runId)?.()
        return null
      }
      const output = say(index)
      if (output === undefined) {
        await new Promise<void>((resolve) => enders.set(runId, resolve))
      }
      const end = { endedBy: output === undefined ? 'request' : 'itself', errorOutput: '', isCut: false }
      return successOf({ ...end, output: output ?? '', exitCode: output?.startsWith('bad') ? 2 : 0 })
    }
  })
  return told
}

test('a command runs on a real device and on others; its results survive a reload', async ({
  page,
  server,
  owner,
  enroll,
}) => {
  const agents = await enroll(3)
  commands(agents, (index) => (index === 0 ? '<b>five</b>\n' : 'bad luck\n'))
  await Promise.all(agents.slice(0, 2).map((agent) => agent.connect(server.url)))
  const device = await startRealDevice(owner)
  try {
    await page.goto(`${server.url}/devices`)
    await expect(rows(page)).toHaveCount(4)
    await page.keyboard.press('Control+a')
    const bar = page.getByRole('toolbar', { name: '4 selected' })
    await bar.getByRole('button', { name: 'Run command' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByText(/^1 is offline and will be skipped: /)).toBeVisible()
    await expect(dialog.getByRole('textbox', { name: 'Command' })).toBeFocused()
    await dialog.getByRole('textbox', { name: 'Command' }).fill('echo hello from $((2 + 3)); echo oh >&2')
    await dialog.getByRole('button', { name: 'Run a command on 3 devices' }).click()

    await expect(page).toHaveURL(/\/batches\/[0-9a-f-]{36}$/)
    await expect(page.getByRole('heading', { name: 'Command on 4 devices' })).toBeVisible()
    await expect(page.getByText('4 of 4 finished')).toBeVisible()
    await page.reload()
    const own = results(page).filter({ hasText: 'hello from 5' })
    await expect(own).toContainText('Done')
    await own.focus()
    await page.keyboard.press('Enter')
    await expect(page.getByLabel('Errors', { exact: true }).locator('pre')).toHaveText('oh\n')
    // Output of a device is plain text.
    await results(page).filter({ hasText: '<b>five</b>' }).click()
    await expect(page.locator('pre b')).toHaveCount(0)
  } finally {
    await device.stop()
  }
})

test(
  'results are filtered, and failed devices are retried',
  { tag: '@night' },
  async ({ page, server, owner, enroll }) => {
    const agents = await enroll(2)
    commands(agents, (index) => (index === 0 ? 'fine\n' : 'bad luck\n'))
    await Promise.all(agents.map((agent) => agent.connect(server.url)))
    const deviceIds = agents.map(({ id }) => id)
    const { id } = await owner.applianceBatches.start({ body: { kind: 'run-command', deviceIds, command: 'true' } })
    await page.goto(`${server.url}/batches/${id}`)
    const shares = page.getByRole('progressbar').locator('[data-state]')
    const outcomes = () => shares.evaluateAll((parts) => parts.map((part) => part.getAttribute('data-state')))
    await expect.poll(outcomes).toEqual(['done', 'failed'])
    await page.getByRole('button', { name: 'Failed 1' }).click()
    await expect(results(page)).toHaveCount(1)
    await expect(results(page)).toContainText('Exit code 2 · bad luck')
    await expect(page).toHaveURL(/show=failed/)
    await results(page).click()
    await expect(page.getByLabel('Output', { exact: true }).locator('pre')).toHaveText('bad luck\n')
    await expectAccessible(page)
    commands(agents, () => 'good\n')
    await page.getByRole('button', { name: 'Retry 1 device' }).click()
    await expect(page.getByRole('heading', { name: 'Command on 1 device' })).toBeVisible()
    await expect(page.getByText('1 of 1 finished')).toBeVisible()
    await expect.poll(outcomes).toEqual(['done'])
    await page.getByRole('navigation').getByRole('link', { name: 'Bulk jobs' }).click()
    await expect(page.getByRole('list', { name: 'Bulk jobs' }).getByRole('listitem')).toHaveCount(2)
  },
)

test(
  'selected devices are restarted and tagged from the list, with progress below it',
  { tag: '@night' },
  async ({ page, server, owner, enroll }) => {
    const agents = await enroll(4)
    const told = commands(agents, () => '')
    await Promise.all(agents.slice(0, 3).map((agent) => agent.connect(server.url)))
    await page.goto(`${server.url}/devices`)
    await expect(rows(page)).toHaveCount(4)
    await page.keyboard.press('Control+a')
    await page.getByRole('button', { name: 'Run command' }).click()
    await expect(page.getByRole('textbox', { name: 'Command' })).toBeFocused()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Restart', exact: true }).click()
    await expect(page.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await page.getByRole('button', { name: 'Restart 3 devices' }).click()
    const progress = page.getByRole('status').filter({ hasText: 'Restart of 4 devices' })
    await expect(progress).toContainText('3Done')
    await expect(progress).toContainText('1Skipped')
    await until(() => told.filter((target) => target === 'ReceivePowerStateChange').length === 3)
    await expect(page).toHaveURL(/\/devices$/)

    const tagName = page.getByRole('combobox', { name: 'Tag' }).or(page.getByRole('textbox', { name: 'Tag' }))
    await page.getByRole('button', { name: 'Add tag' }).click()
    await expect(tagName).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(tagName).toHaveCount(0)
    await page.getByRole('button', { name: 'Add tag' }).click()
    await expect(tagName).toBeFocused()
    await page.keyboard.type('Spring-2026')
    await page.getByRole('button', { name: 'Tag 4 devices' }).click()
    await expect(page.getByRole('status').filter({ hasText: 'Tagging 4 devices' })).toContainText('4Done')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Remove tag' }).click()
    await page.getByRole('combobox', { name: 'Tag' }).click()
    await page.getByRole('option', { name: 'spring-2026' }).click()
    await page.getByRole('button', { name: 'Remove the tag from 4 devices' }).click()
    await expect(page.getByRole('status').filter({ hasText: 'Untagging 4 devices' })).toContainText('4Done')
    const { items } = await owner.tags.list({ tenantId: owner.tenantId, query: { includeLinkedIds: true } })
    expect(items).toMatchObject([{ name: 'spring-2026', deviceIds: [] }])

    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const sent = page.waitForRequest(/\/devices\/delete-many$/)
    await page.getByRole('button', { name: 'Delete 4 devices' }).click()
    expect(((await sent).postDataJSON() as { deviceIds: string[] }).deviceIds).toHaveLength(4)
    await expect(page.getByRole('heading', { name: 'No devices yet' })).toBeVisible()
  },
)

test(
  'running and waiting devices of a batch can be canceled; a thousand results scroll as one list',
  { tag: '@night' },
  async ({ page, server, owner, enroll }) => {
    const agents = await enroll(30)
    const told = commands(agents, () => undefined)
    await Promise.all(agents.map((agent) => agent.connect(server.url)))
    const deviceIds = [...agents.map(({ id }) => id), ...Array.from({ length: 970 }, () => crypto.randomUUID())]
    const { id } = await owner.applianceBatches.start({
      body: { kind: 'run-command', deviceIds, command: 'sleep 1000' },
    })
    await until(() => told.length === 25)
    await page.goto(`${server.url}/batches/${id}`)
    await page.getByRole('button', { name: 'Cancel waiting devices' }).click()
    await expect(page.getByText('975 of 1,000 finished')).toBeVisible()
    await page.getByRole('button', { name: 'Stop running commands' }).click()
    await expect(page.getByText('1,000 of 1,000 finished')).toBeVisible()
    await expectFew(results(page), 80)
    await results(page).first().focus()
    await page.keyboard.press('End')
    await expect(page.locator('#result-999')).toBeFocused()
    await expect(page.locator('#result-999')).toContainText('Not started')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Delete the bulk job' }).click()
    await expect(page).toHaveURL(/\/batches$/)
    await expect(page.getByRole('heading', { name: 'No bulk jobs yet' })).toBeVisible()
  },
)
