import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import type { Page } from '@playwright/test'
import sharp from 'sharp'
import { Gamma, isBlack } from '../../agent/platform/linux/x11/gamma.ts'
import { signInBrowser } from '../../tools/simulate/page-session.ts'
import { SlowLink } from '../../tools/simulate/slow-link.ts'
import { nextFocus } from '../agent/desktop/next-focus.ts'
import { XProgram } from '../agent/desktop/x-program.ts'
import { dropFile, row } from '../renderer/support/files.ts'
import { cardOf, expect, isNear, pixelAt, running, screenOf, test } from '../renderer/support/real-desktop.ts'
import { ScriptedDesktop } from '../renderer/support/scripted-desktop.ts'
import { screen } from '../renderer/support/terminal-page.ts'
import { account } from '../support/server.ts'
import { endControl, tab } from './visit-steps.ts'
import { xClipboard } from './x-clipboard.ts'
import { personAt } from './x-person.ts'

test.setTimeout(180_000)
test.use({ actionTimeout: 30_000 })

const green = [0x20, 0xa0, 0x40] as const
const numberOf = ([r, g, b]: readonly [number, number, number]) => (r << 16) | (g << 8) | b

const chipsOf = (page: Page) => page.getByRole('list', { name: 'Your running sessions' })

test(
  'the shift of a technician over a line of 5 Mbit/s',
  { tag: '@night' },
  async ({ page, browser, context, server, owner, desktop }) => {
    const times: string[] = []
    const step = (name: string, work: () => Promise<void>) =>
      test.step(name, async () => {
        const begun = performance.now()
        await work()
        times.push(`${name}: ${((performance.now() - begun) / 1000).toFixed(1)} s`)
      })
    const link = await SlowLink.open(server.url)
    await signInBrowser(context, link.url, { email: owner.user.email, password: account.password })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const others = await Promise.all(Array.from({ length: 4 }, () => ScriptedDesktop.start(owner)))
    const { name } = await owner.devices.get({ params: { deviceId: desktop.device.id } })
    const program = await XProgram.start(desktop.display.name)
    const window = await program.openWindow(100, 100, 300, 200)
    const clipboard = xClipboard(desktop.display.name)
    const person = await personAt(desktop.display.name)
    await page.goto(`${link.url}/devices`)
    await expect(page.getByRole('row').filter({ hasText: name })).toContainText('Online')
    link.shape({ mbps: 5, roundTripMs: 40 })
    const toList = () => page.getByRole('link', { name: 'Devices', exact: true }).first().click()
    const back = async (kind: string) => {
      await chipsOf(page)
        .getByRole('link', { name: `Back to ${kind} on ${name}` })
        .click()
    }

    await step('hold five sessions', async () => {
      for (const { deviceId } of others) {
        const each = page.getByRole('row').filter({ has: page.locator(`a[href*="${deviceId}"]`) })
        await each.hover()
        await each.getByRole('link', { name: /^Control / }).click()
        await expect(page.getByText('In control').filter({ visible: true })).toBeVisible()
        await toList()
      }
      await page.getByRole('row').filter({ hasText: name }).dblclick()
      await tab(page, 'Remote control').click()
      await cardOf(page, desktop).getByRole('button', { name: 'Control', exact: true }).click()
      await running(page)
      await program.fill(0, 0, 300, 200, numberOf(green), window)
      await expect.poll(async () => isNear(await pixelAt(page, 250, 200), green)).toBe(true)
      await toList()
      await expect(chipsOf(page).getByRole('link')).toHaveCount(5)
      await back('Remote control')
      await expect.poll(async () => isNear(await pixelAt(page, 250, 200), green)).toBe(true)
    })

    await step('rename a folder', async () => {
      const folder = desktop.device.path('work')
      mkdirSync(`${folder}/Reports`, { recursive: true })
      await tab(page, 'Files').click()
      await page.getByRole('grid', { name: /^Files and folders/ }).click({ position: { x: 5, y: 5 } })
      await page.keyboard.press('Control+l')
      await page.getByRole('combobox', { name: 'Path' }).fill(folder)
      await page.keyboard.press('Enter')
      await row(page, 'Reports').click()
      await page.keyboard.press('F2')
      await page.getByRole('dialog', { name: 'Rename “Reports”' }).getByLabel('Name').fill('Archive')
      await page.keyboard.press('Enter')
      await expect(row(page, 'Archive')).toBeVisible()
    })

    await step('paste a picture both ways', async () => {
      await tab(page, 'Remote control').click()
      await running(page)
      await page.evaluate(async () => {
        const canvas = new OffscreenCanvas(40, 30)
        canvas.getContext('2d')!.fillRect(0, 0, 40, 30)
        const picture = await canvas.convertToBlob()
        await navigator.clipboard.write([new ClipboardItem({ [picture.type]: picture })])
      })
      await screenOf(page).click()
      await page.keyboard.press('Control+v')
      await expect(page.getByText('Sent to the device. Paste it there.')).toBeVisible()
      const pasted = await sharp(await clipboard.readPicture()).metadata()
      expect([pasted.width, pasted.height]).toEqual([40, 30])
      clipboard.writePicture(
        await sharp({ create: { width: 32, height: 24, channels: 3, background: 'teal' } })
          .png()
          .toBuffer(),
      )
      await expect(page.getByText('Copied from the device')).toBeVisible()
    })

    await step('drop a file on the screen', async () => {
      const dropped = `farhand-shift-${randomUUID()}.txt`
      await dropFile(screenOf(page), dropped)
      const landed = page.getByRole('alert').filter({ hasText: /^1 file sent to / })
      await expect(landed).toBeVisible()
      const [, folder] = /^1 file sent to (.+) on /.exec((await landed.textContent())!)!
      expect(readFileSync(`${folder}/${dropped}`, 'utf8')).toBe('x')
      rmSync(`${folder}/${dropped}`)
    })

    await step('share a terminal', async () => {
      await tab(page, 'Terminal').click()
      await expect(page.getByText('Connected', { exact: true })).toBeVisible()
      await page.keyboard.type('echo "sum: $((6*7))"\n')
      await expect(screen(page)).toContainText('sum: 42')
      await page.getByRole('button', { name: 'Share this terminal' }).click()
      const dialog = page.getByRole('dialog', { name: 'Share this terminal' })
      await dialog.getByRole('textbox', { name: 'For' }).fill('Grace')
      await dialog.getByRole('button', { name: 'Make the link' }).click()
      const shared = await dialog.getByRole('textbox', { name: 'Link' }).inputValue()
      await dialog.getByRole('button', { name: 'Done' }).click()
      const guests = await browser.newContext({ viewport: { width: 390, height: 844 } })
      const guest = await guests.newPage()
      await guest.goto(shared)
      await expect(screen(guest)).toContainText('sum: 42')
      await page.getByRole('button', { name: 'Let Grace type' }).click()
      await expect(guest.getByText('You may type', { exact: true })).toBeVisible()
      await guest.locator('.xterm-screen').click()
      await guest.keyboard.type('echo "guest: $((6*8))"\n')
      await expect(screen(page)).toContainText('guest: 48')
      await page.getByRole('button', { name: 'End the sharing with Grace' }).click()
      await expect(guest.getByRole('heading', { name: 'The sharing has ended' })).toBeVisible()
      await guests.close()
    })

    await step('record the screen, and play it', async () => {
      await tab(page, 'Remote control').click()
      await running(page)
      await page.getByRole('button', { name: 'Record', exact: true }).click()
      await expect(page.getByRole('status', { name: 'Recording', exact: true })).toBeVisible()
      await page.keyboard.press('F5')
      await page.getByRole('button', { name: 'Stop recording' }).click()
      await expect(page.getByText('The recording is stored.')).toBeVisible()
      await page.getByRole('link', { name: 'Recordings' }).click()
      await page.getByRole('row').last().click()
      await page.getByRole('button', { name: 'Play' }).click()
      await expect(page.getByRole('img', { name: 'Recorded screen' })).toBeVisible()
      await toList()
      await back('Remote control')
    })

    await step('blank the screens; a killed viewer lifts that', async () => {
      const gamma = await Gamma.open(program.connection)
      const areBlack = async () => [...(await gamma.read()).values()].every(isBlack)
      await page.getByRole('button', { name: 'Input', exact: true }).click()
      await page.getByRole('switch', { name: 'Blank the screens there' }).click()
      await expect(page.getByRole('status', { name: 'Screens blank' })).toBeVisible()
      expect(await areBlack()).toBe(true)
      await page.goto('about:blank')
      await expect.poll(areBlack).toBe(false)
    })

    // Its window would cover the question.
    program.stop()
    await step('ask by policy: granted, then refused', async () => {
      await page.goto(`${link.url}/settings`)
      await page.getByRole('link', { name: 'Consent', exact: true }).click()
      await page.getByRole('button', { name: 'New policy' }).first().click()
      const form = page.getByRole('dialog', { name: 'New policy' })
      await form.getByLabel('Name').fill('Ask at the desk')
      await form.getByRole('combobox', { name: 'Control the screen' }).click()
      await page.getByRole('option', { name: 'Always ask' }).click()
      await form.getByRole('button', { name: 'Create policy' }).click()
      await expect(page.getByRole('complementary', { name: 'Ask at the desk' })).toContainText('All devices')
      const visit = async () => {
        await toList()
        await page.getByRole('row').filter({ hasText: name }).dblclick()
        await tab(page, 'Remote control').click()
        const isFocused = await nextFocus(desktop.display)
        await cardOf(page, desktop).getByRole('button', { name: 'Control', exact: true }).click()
        await isFocused()
      }
      // An account that was declined may not ask again at once.
      await visit()
      person.press('Tab', 'Enter')
      await running(page)
      await endControl(page)
      await visit()
      person.press('Enter')
      await expect(page.getByRole('alert')).toContainText('The person at the device declined.')
    })
    process.stdout.write(`${times.join('; ')}\n`)
    person.leave()
    link.close()
    await Promise.all(others.map((each) => each.stop()))
  },
)
