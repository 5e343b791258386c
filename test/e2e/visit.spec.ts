import type { Page, TestInfo } from '@playwright/test'
import { nextFocus } from '../agent/desktop/next-focus.ts'
import { openTerminal } from '../agent/desktop/terminal-window.ts'
import { answerUploads, dropFile } from '../renderer/support/files.ts'
import { cardOf, expect, screenOf, test } from '../renderer/support/real-desktop.ts'
import {
  chooseChat,
  copyBothWays,
  endControl,
  runCommand,
  say,
  sendFile,
  tab,
  typeInControl,
  type VisitedDevice,
} from './visit-steps.ts'
import { xClipboard } from './x-clipboard.ts'
import { personAt } from './x-person.ts'

test.setTimeout(240_000)
test.use({ actionTimeout: 20_000 })

const widths = [1440, 1024, 720]

/** Takes screenshots of the page in three widths, light and dark, for people to look at. At night only: nobody looks at those of CI. */
async function takePictures(page: Page, info: TestInfo, name: string) {
  if (process.env['FARHAND_NIGHT'] !== '1') {
    return
  }
  const size = page.viewportSize()!
  for (const width of widths) {
    await page.setViewportSize({ width, height: width > 1024 ? 900 : 700 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: info.outputPath(`${name}-${width}-${colorScheme}.png`) })
    }
  }
  await page.emulateMedia({ colorScheme: null })
  await page.setViewportSize(size)
}

test('a technician visits a device: finds it, looks, takes control, types, copies, sends a file, runs a command, chats and leaves', async ({
  page,
  context,
  server,
  owner,
  desktop,
}, info) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { name } = await owner.devices.get({ params: { deviceId: desktop.device.id } })

  /** Leaves the device and returns by the chip of a running session. */
  const comeBackBy = async (kind: string) => {
    await page.getByRole('link', { name: 'Devices', exact: true }).first().click()
    const chips = page.getByRole('list', { name: 'Your running sessions' })
    await chips.getByRole('link', { name: `Back to ${kind} on ${name}` }).click()
  }

  await test.step('finds it by keyboard', async () => {
    await page.goto(`${server.url}/devices`)
    await expect(page.getByRole('row').filter({ hasText: name })).toContainText('Online')
    await takePictures(page, info, '1-devices')
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('dialog').getByRole('textbox')).toBeFocused()
    await page.keyboard.type(name)
    await expect(page.locator('[data-action]').first()).toContainText(name)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  })

  await test.step('looks at its desktop before disturbing anybody', async () => {
    const entry = page.getByRole('listitem').filter({ hasText: new RegExp(`${desktop.name}(?!\\d)`) })
    await entry.getByRole('button', { name: 'Show preview' }).click()
    await expect(entry.getByRole('img', { name: /^Picture of the desktop/ })).toBeVisible()
    await takePictures(page, info, '2-overview')
  })

  const terminal = await openTerminal(desktop.display)
  const inbox = desktop.device.path('inbox')
  const device: VisitedDevice = {
    name: desktop.name,
    text: 'Füße: 5 €',
    receives: async (text) => expect(await terminal.typedUntil('\r')).toBe(text),
    ...xClipboard(desktop.display.name),
    folder: inbox,
    onDisk: inbox,
    command: ['echo "sum: $((6*7))"', 'sum: 42'],
  }
  await test.step('takes control and types', async () => {
    await tab(page, 'Remote control').click()
    await expect(cardOf(page, desktop).getByRole('img', { name: /^Preview of/ })).toBeVisible()
    await takePictures(page, info, '3-desktops')
    await typeInControl(page, device)
    await takePictures(page, info, '4-control')
  })

  await test.step('drops a file on the picture', async () => {
    const dropped = await answerUploads(page)
    expect(await dropFile(screenOf(page), 'picture.txt')).toBe(true)
    await expect.poll(() => dropped).toMatchObject([{ fileName: 'picture.txt' }])
    await page.unrouteAll()
  })

  await test.step('copies to the device and back', () => copyBothWays(page, device))

  await test.step('sends a file', async () => {
    await sendFile(page, device)
    await takePictures(page, info, '5-files')
  })

  await test.step('runs a command', async () => {
    await runCommand(page, device)
    await takePictures(page, info, '6-terminal')
  })

  await test.step('chats with the person there', async () => {
    await chooseChat(page, device)
    const windowIsOpen = await nextFocus(desktop.display)
    await say(page, 'The driver is there. May I restart your printer?')
    await expect(page.getByRole('log')).toContainText('Shown at the device')
    await windowIsOpen()
    const person = await personAt(desktop.display.name)
    await person.say('Yes, please')
    await expect(page.getByRole('log')).toContainText('Yes, please')
    person.leave()
    await takePictures(page, info, '7-chat')
    const dropped = await answerUploads(page)
    expect(await dropFile(page.getByRole('log'), 'chat.txt')).toBe(true)
    await expect.poll(() => dropped).toMatchObject([{ fileName: 'chat.txt' }])
    await comeBackBy('Chat')
    await expect(page.getByRole('log')).toContainText('Yes, please')
    await page.getByRole('button', { name: 'Close chat' }).click()
    await expect(page.getByRole('log')).toContainText('You closed this chat.')
  })

  await test.step('leaves: the session went on meanwhile, and nothing goes on afterwards', async () => {
    await comeBackBy('Remote control')
    await endControl(page)
    await takePictures(page, info, '8-left')
    await page.getByRole('link', { name: 'Devices' }).first().click()
    await expect(page.getByRole('grid')).toBeVisible()
    const others = async () =>
      (await owner.applianceRemoteSessions.list({})).items.filter(({ kind }) => kind !== 'terminal').length
    await expect.poll(others).toBe(0)
  })
  await terminal.close()
})
