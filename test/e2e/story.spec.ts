import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { expect } from '../renderer/support/expect.ts'
import { RealServer } from './server-process.ts'
import { sharingTest as test } from '../renderer/support/fixtures.ts'

const run = promisify(execFile)
const person = { email: 'ada@example.org', password: 'Correct-Horse-7', organization: 'Analytical Engines' }

test.use({ actionTimeout: 15_000 })

let directory: string
let server: RealServer
/** Arguments that confine the device's files to the test's folder; the rest of the command is unchanged. */
let confined: string

test.beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'farhand-story-'))
  server = new RealServer(join(directory, 'server'))
  confined = `--data-dir ${join(directory, 'device')}`
  await server.start()
})

test.afterAll(async () => {
  await run(join(directory, 'device', 'program', 'Farhand.Agent'), ['uninstall', ...confined.split(' ')]).catch(
    () => {},
  )
  await server.stop()
  await rm(directory, { recursive: true, force: true })
})

/** Visible text of the terminal. */
const screen = (page: Page) => page.locator('.xterm-rows')

async function type(page: Page, line: string) {
  await page.keyboard.type(line)
  await page.keyboard.press('Enter')
}

test('from the first start to a terminal on a real device', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])

  await test.step('the first person creates an account', async () => {
    await page.goto(server.url)
    await expect(page).toHaveURL(/\/welcome/)
    await page.getByLabel('Organization name').fill(person.organization)
    await page.getByLabel('Email').fill(person.email)
    await page.getByLabel('Password', { exact: true }).fill(person.password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect(page).toHaveURL(/\/first-steps/)
    await page.getByRole('button', { name: 'Add the first device' }).click()
    await page.getByRole('link', { name: 'Open Deploy' }).click()
    await expect(page).toHaveURL(/\/deploy/)
  })

  const command = await test.step('copies the install command', async () => {
    await page.getByRole('tab', { name: 'Linux' }).click()
    await page.getByText('Without sudo (only for the current user)').click()
    await page.getByRole('button', { name: 'Copy command' }).click()
    await expect(page.getByText('Waiting for the device…')).toBeVisible()
    return await page.evaluate(() => navigator.clipboard.readText())
  })

  const name = await test.step('runs it, and the device comes online', async () => {
    // Separate home, so that this machine's log-in scripts are not part of the test.
    await run('sh', ['-c', `${command} ${confined}`], { env: { ...process.env, HOME: directory } })
    await expect(page.getByText(/ is online$/)).toBeVisible()
    return (await page.getByText(/ is online$/).innerText()).replace(' is online', '')
  })

  await test.step('opens it from the list', async () => {
    await page.getByRole('link', { name: 'Devices' }).first().click()
    const row = page.getByRole('row').filter({ hasText: name })
    await expect(row).toContainText('Online')
    await row.dblclick()
    await expect(page.getByRole('heading', { name })).toBeVisible()
    await page.getByRole('tab', { name: 'Terminal' }).click()
    await expect(page.getByText('Connected', { exact: true })).toBeVisible()
  })

  await test.step('works in a real terminal', async () => {
    await type(page, 'echo "sum: $((6*7))"')
    await expect(screen(page)).toContainText('sum: 42')
    await type(page, "printf '\\033[31mcrimson\\033[0m\\n'")
    await expect(screen(page).locator('span.xterm-fg-1', { hasText: 'crimson' })).toBeVisible()
    await type(page, 'tty')
    await expect(screen(page)).toContainText('/dev/pts/')
  })

  await test.step('resizes it', async () => {
    let asked = 0
    /** Size reported by the shell, matched to the request in the same reading of the screen. */
    const size = async () => {
      const answer = new RegExp(`size-${++asked}=(\\d+\\s\\d+)\\.`)
      await type(page, `clear; echo "size-${asked}=$(stty size)."`)
      let found: string | undefined
      await expect.poll(async () => (found = answer.exec((await screen(page).textContent()) ?? '')?.[1])).toBeTruthy()
      return found
    }
    const before = await size()
    await page.setViewportSize({ width: 1000, height: 600 })
    await expect.poll(size).not.toBe(before)
  })

  await test.step('uses vim and top', async () => {
    const file = join(directory, 'written-by-vim.txt')
    await type(page, `clear; vi -u NONE ${file}`)
    await expect(screen(page)).toContainText('~')
    await page.keyboard.type('ihello from vim')
    await page.keyboard.press('Escape')
    await type(page, ':wq')
    await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toBe('hello from vim\n')
    await type(page, 'clear; top')
    await expect(screen(page)).toContainText(/load average/)
    await page.keyboard.press('q')
    await type(page, 'clear; echo back-at-the-shell')
    await expect(screen(page)).toContainText('back-at-the-shell')
  })

  await test.step('the shell survives a restart of the server', async () => {
    // Quoted, so that the command line itself does not match the expected output.
    await type(page, 'clear; remembered=yes; echo "st"ored')
    await expect(screen(page)).toContainText('stored')
    expect(await server.stop()).toBe(0)
    await expect(page.getByText('Reconnecting…').first()).toBeVisible()
    await server.start()
    await expect(page.getByText('Connected', { exact: true })).toBeVisible({ timeout: 30_000 })
    await page.locator('.xterm').click()
    await type(page, 'echo "remembered=$remembered"')
    await expect(screen(page)).toContainText('remembered=yes', { timeout: 15_000 })
  })

  await test.step('a killed agent shows as offline, and online again after a start', async () => {
    await page.goto(`${server.url}/devices`)
    const row = page.getByRole('row').filter({ hasText: name })
    await expect(row).toContainText('Online')
    const program = join(directory, 'device', 'program', 'Farhand.Agent')
    const pid = Number(await readFile(join(directory, 'device', 'agent.pid'), 'utf8'))
    process.kill(pid, 'SIGKILL')
    await expect(row).toContainText('Offline')
    const agent = spawn(program, ['run', ...confined.split(' ')], { stdio: 'ignore' })
    try {
      await expect(row).toContainText('Online')
    } finally {
      agent.kill('SIGTERM')
    }
  })
})
