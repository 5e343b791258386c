import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import type { Browser, Page } from '@playwright/test'
import sharp from 'sharp'
import { Gamma, isBlack } from '../../agent/platform/linux/x11/gamma.ts'
import { signInBrowser } from '../../tools/simulate/page-session.ts'
import { SlowLink, type LinkShape } from '../../tools/simulate/slow-link.ts'
import { nextFocus } from '../agent/desktop/next-focus.ts'
import { dropFile, row } from '../renderer/support/files.ts'
import { expect, running, screenOf, test } from '../renderer/support/real-desktop.ts'
import { ScriptedDesktop } from '../renderer/support/scripted-desktop.ts'
import { screen } from '../renderer/support/terminal-page.ts'
import { account } from '../support/server.ts'
import { Desk, openControl, type Color } from './desk.ts'
import { endControl, tab } from './visit-steps.ts'
import { xClipboard } from './x-clipboard.ts'
import { personAt } from './x-person.ts'
import { timedSteps } from './timed-steps.ts'

test.setTimeout(600_000)
test.use({ actionTimeout: 30_000 })

const green: Color = [0x20, 0xa0, 0x40]
const red: Color = [0xc0, 0x20, 0x40]

const lines: Record<string, LinkShape | undefined> = {
  'a fast line': undefined,
  'a line of 5 Mbit/s': { mbps: 5, roundTripMs: 50 },
}

const toList = (page: Page) => page.getByRole('link', { name: 'Devices', exact: true }).first().click()
const chipsOf = (page: Page) => page.getByRole('list', { name: 'Your running sessions' })
const back = (page: Page, kind: string, { name }: Desk) =>
  chipsOf(page)
    .getByRole('link', { name: `Back to ${kind} on ${name}` })
    .click()

/** Begins a session by the button of a row, of a device with one desktop that asks nobody. */
async function controlAtOnce(page: Page, { deviceId }: ScriptedDesktop) {
  await openControl(page.getByRole('row').filter({ has: page.locator(`a[href*="${deviceId}"]`) }))
  await expect(page.getByText('In control').filter({ visible: true })).toBeVisible()
}

async function holdSessions(page: Page, [desk, neighbor]: readonly [Desk, Desk], others: readonly ScriptedDesktop[]) {
  for (const each of [desk, neighbor]) {
    await each.show(green)
    await each.control(page)
    await each.expectOn(page, green)
    await toList(page)
  }
  for (const each of others) {
    await controlAtOnce(page, each)
    await toList(page)
  }
  await expect(chipsOf(page).getByRole('link')).toHaveCount(5)
  // A hidden session goes on drawing, and input goes to the desk on screen.
  await neighbor.show(red)
  await back(page, 'Remote control', neighbor)
  await neighbor.expectOn(page, red)
  await back(page, 'Remote control', desk)
  await desk.expectOn(page, green)
}

async function renameFolder(page: Page, { desktop }: Desk) {
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
}

async function pastePicturesBothWays(page: Page, { desktop }: Desk) {
  const clipboard = xClipboard(desktop.display.name)
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
  const picture = sharp({ create: { width: 32, height: 24, channels: 3, background: 'teal' } })
  clipboard.writePicture(await picture.png().toBuffer())
  await expect(page.getByText('Copied from the device')).toBeVisible()
  const copied = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read()
    const { width, height } = await createImageBitmap(await item!.getType('image/png'))
    return [width, height]
  })
  expect(copied).toEqual([32, 24])
}

async function dropOnScreen(page: Page, { name }: Desk) {
  const dropped = `farhand-shift-${randomUUID()}.txt`
  await dropFile(screenOf(page), dropped)
  const landed = page.getByRole('alert').filter({ hasText: /^1 file sent to / })
  await expect(landed).toBeVisible()
  const [, folder, device] = /^1 file sent to (.+) on (.+?)\.?$/m.exec((await landed.innerText()).trim())!
  expect(device).toContain(name)
  expect(readFileSync(`${folder}/${dropped}`, 'utf8')).toBe('x')
  rmSync(`${folder}/${dropped}`)
}

async function shareTerminal(page: Page, browser: Browser) {
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
}

async function recordAndPlay(page: Page, desk: Desk) {
  await tab(page, 'Remote control').click()
  await running(page)
  await page.getByRole('button', { name: 'Record', exact: true }).click()
  await expect(page.getByRole('status', { name: 'Recording', exact: true })).toBeVisible()
  await screenOf(page).click()
  await page.keyboard.press('F5')
  await page.getByRole('button', { name: 'Stop recording' }).click()
  await expect(page.getByText('The recording is stored.')).toBeVisible()
  await page.getByRole('link', { name: 'Recordings' }).click()
  await page.getByRole('row').filter({ hasText: desk.name }).click()
  await page.getByRole('button', { name: 'Play' }).click()
  await expect(page.getByRole('img', { name: 'Recorded screen' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'What happened' }).getByRole('button', { name: 'F5' })).toBeVisible()
  await toList(page)
  await back(page, 'Remote control', desk)
}

async function askByPolicy(page: Page, desk: Desk) {
  const person = await personAt(desk.desktop.display.name)
  await endControl(page)
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByRole('link', { name: 'Consent', exact: true }).click()
  await page.getByRole('button', { name: 'New policy' }).first().click()
  const form = page.getByRole('dialog', { name: 'New consent policy' })
  await form.getByLabel('Name').fill('Ask at the desk')
  await form.getByRole('combobox', { name: 'Control the screen' }).click()
  await page.getByRole('option', { name: 'Always ask' }).click()
  await form.getByRole('button', { name: 'Create policy' }).click()
  const pane = page.getByRole('complementary', { name: 'Ask at the desk' })
  await expect(pane).toContainText('All devices')
  const visit = async () => {
    await toList(page)
    const isFocused = await nextFocus(desk.desktop.display)
    await desk.control(page)
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
  person.leave()

  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByRole('link', { name: 'Consent', exact: true }).click()
  await page.getByRole('row').filter({ hasText: 'Ask at the desk' }).click()
  await pane.getByRole('button', { name: 'Delete policy' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete policy' }).click()
  await expect(page.getByRole('heading', { name: 'Nobody is asked yet' })).toBeVisible()
}

async function controlAgain(page: Page, desk: Desk) {
  await toList(page)
  await desk.control(page)
  await running(page)
}

async function areBlack({ program }: Desk) {
  const gamma = await Gamma.open(program.connection)
  return [...(await gamma.read()).values()].every(isBlack)
}

async function blankScreens(page: Page, desk: Desk) {
  await page.getByRole('button', { name: 'Input', exact: true }).click()
  await page.getByRole('switch', { name: 'Blank the screens there' }).click()
  await expect(page.getByRole('status', { name: 'Screens blank' })).toBeVisible()
  expect(await areBlack(desk)).toBe(true)
}

async function killPage(page: Page, desk: Desk) {
  const devTools = await page.context().newCDPSession(page)
  const crashed = page.waitForEvent('crash')
  // Never answered: the process that would answer is gone.
  devTools.send('Page.crash').catch(() => {})
  await crashed
  await expect.poll(() => areBlack(desk)).toBe(false)
}

for (const [line, shape] of Object.entries(lines)) {
  test(
    `the shift of a technician with five sessions over ${line}`,
    { tag: '@night' },
    async ({ page, browser, context, server, owner }) => {
      const { times, step } = timedSteps()
      const link = await SlowLink.open(server.url)
      await signInBrowser(context, link.url, { email: owner.user.email, password: account.password })
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      const desk = await Desk.start(owner, 'Front desk')
      const neighbor = await Desk.start(owner, 'Back office')
      const others = await Promise.all(Array.from({ length: 3 }, () => ScriptedDesktop.start(owner)))
      await page.goto(`${link.url}/devices`)
      await expect(page.getByRole('row').filter({ hasText: desk.name })).toContainText('Online')
      if (shape) {
        link.shape(shape)
      }

      await step('hold five sessions', () => holdSessions(page, [desk, neighbor], others))
      await step('drop a file on the screen', () => dropOnScreen(page, desk))
      await step('rename a folder', () => renameFolder(page, desk))
      await step('paste a picture both ways', () => pastePicturesBothWays(page, desk))
      await step('share a terminal', () => shareTerminal(page, browser))
      await step('record the screen, and play it', () => recordAndPlay(page, desk))
      await desk.closeWindow()
      await step('ask by policy: granted, then refused', () => askByPolicy(page, desk))
      await step('come back to the neighbor', async () => {
        await back(page, 'Remote control', neighbor)
        await neighbor.expectOn(page, red)
      })
      await step('control the desk again', () => controlAgain(page, desk))
      await step('blank the screens', () => blankScreens(page, desk))
      await step('a killed page unblanks them', () => killPage(page, desk))
      process.stdout.write(`${line}: ${times.join('; ')}\n`)
      link.close()
      await Promise.all([desk, neighbor, ...others].map((each) => each.stop()))
    },
  )
}
