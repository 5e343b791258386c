import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { startXvnc, type XDisplay } from '../../tools/simulate/display.ts'
import { startRealDevice, type RealDevice } from '../support/real-device.ts'
import { answerUploads, dropFile } from './support/files.ts'
import { expect, expectAccessible, test as base } from './support/fixtures.ts'

const password = 'open-me'
const allowedPorts = Array.from({ length: 10 }, (_, index) => 5900 + index)

interface VncServer {
  port: number
  display: XDisplay
  /** Returns the text typed in a terminal that fills the desktop, line by line. */
  typed(file: string): Promise<void>
}

/** Starts a VNC server on the first free port that agents allow. */
async function startVncServer(secret?: string): Promise<VncServer> {
  for (const port of allowedPorts) {
    const display = await startXvnc(port, '640x480', secret).catch(() => undefined)
    if (display) {
      return {
        port,
        display,
        async typed(file) {
          const options = ['-geometry', '200x100+0+0', '-bg', '#204080', '-fg', '#ffffff', '-b', '0']
          const env = { ...process.env, DISPLAY: display.name }
          spawn('xterm', [...options, '-e', `cat > '${file}'`], { env, stdio: 'ignore' })
          await expect.poll(() => readFile(file, 'utf8').catch(() => undefined)).toBe('')
        },
      }
    }
  }
  throw new Error('No port of VNC is free on this machine.')
}

const test = base.extend<{ device: RealDevice; vnc: VncServer; guarded: VncServer }>({
  device: async ({ owner }, use) => {
    const device = await startRealDevice(owner)
    await use(device)
    await device.stop()
  },
  // oxlint-disable-next-line no-empty-pattern
  vnc: async ({}, use) => {
    const server = await startVncServer()
    await use(server)
    await server.display.stop()
  },
  // oxlint-disable-next-line no-empty-pattern
  guarded: async ({}, use) => {
    const server = await startVncServer(password)
    await use(server)
    await server.display.stop()
  },
})

const screen = (page: Page) => page.getByRole('application', { name: /^Screen of/ })
const connected = (page: Page) => expect(page.getByText('Connected', { exact: true })).toBeVisible({ timeout: 20_000 })

async function openVnc(page: Page, url: string, device: RealDevice, port: number) {
  await page.goto(`${url}/devices/${device.id}/vnc`)
  await page.getByLabel('Port').fill(String(port))
}

/** Color of a pixel drawn by noVNC, away from its initial pointer. */
const drawnPixel = (page: Page) =>
  screen(page)
    .locator('canvas')
    .evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext('2d')!.getImageData(canvas.width / 4, canvas.height / 4, 1, 1)
      return Array.from(data.slice(0, 3), (channel) => channel.toString(16).padStart(2, '0')).join('')
    })

test('a VNC server of the device is tested and shown, takes keys, and shares its clipboard both ways', async ({
  page,
  context,
  server,
  device,
  vnc,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const file = device.path('typed')
  await vnc.typed(file)
  await openVnc(page, server.url, device, 5999)
  await page.getByRole('button', { name: 'Test' }).click()
  await expect(page.getByText('Port 5999 is not a VNC port of this device (5900-5909).')).toBeVisible()
  await page.getByLabel('Port').fill(String(vnc.port))
  await page.getByRole('button', { name: 'Test' }).click()
  await expect(page.getByText(`A server answers on port ${vnc.port} of the device.`)).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await connected(page)
  await expect.poll(() => drawnPixel(page)).toBe('204080')
  await expect(screen(page).locator('canvas')).toBeFocused()
  // Without a window manager the window under the pointer gets the keys.
  await screen(page).click()
  await page.keyboard.type('Hello from here')
  await page.keyboard.press('Enter')
  await expect.poll(() => readFile(file, 'utf8')).toBe('Hello from here\n')

  await page.getByRole('button', { name: 'View only' }).click()
  await page.keyboard.type('nothing of this')
  await page.getByRole('button', { name: 'View only' }).click()
  await page.keyboard.type('again')
  await page.keyboard.press('Enter')
  await expect.poll(() => readFile(file, 'utf8')).toBe('Hello from here\nagain\n')

  const copy = spawn('xclip', ['-selection', 'clipboard', '-loops', '5'], {
    env: { ...process.env, DISPLAY: vnc.display.name },
  })
  copy.stdin.end('copied there')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('copied there')
  await page.getByRole('button', { name: 'Clipboard' }).click()
  await page.getByLabel('Text for the device').fill('copied here')
  await page.getByRole('button', { name: 'Send to the device' }).click()
  await expect(page.getByText('Sent to the device. Paste it there.')).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')

  await screen(page).click()
  await page.keyboard.press('Control+Shift+Enter')
  await expect(page.getByText('Ctrl+Shift+Enter leaves full screen')).toBeVisible()
  await page.keyboard.press('Control+Shift+Enter')
  await expect(page.getByText('Ctrl+Shift+Enter leaves full screen')).toHaveCount(0)
  await page.keyboard.press('Control+Shift+ArrowUp')
  await expect(page.getByRole('toolbar', { name: 'VNC toolbar' }).locator(':focus')).toHaveCount(1)
  const dropped = await answerUploads(page)
  expect(await dropFile(screen(page), 'note.txt')).toBe(true)
  await expect.poll(() => dropped).toMatchObject([{ fileName: 'note.txt' }])
  await page.getByRole('link', { name: 'Devices', exact: true }).first().click()
  const chips = page.getByRole('list', { name: 'Your running sessions' })
  await chips.getByRole('link', { name: /^Back to VNC on / }).click()
  await connected(page)
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await expect(page.getByRole('button', { name: 'Connect', exact: true })).toBeVisible()
})

test(
  'a wrong password is asked again; the session returns after a restart of the server',
  { tag: '@night' },
  async ({ context, server, device, guarded }) => {
    // noVNC logs the wrong password to the console.
    const page = await context.newPage()
    await openVnc(page, server.url, device, guarded.port)
    await page.getByLabel('Port').press('Enter')
    const field = page.getByRole('textbox', { name: 'VNC password' })
    await expect(field).toBeFocused()
    await field.fill('wrong')
    await field.press('Enter')
    await expect(page.getByRole('alert')).toContainText('The VNC server rejected the sign-in')
    await expectAccessible(page)
    await field.fill(password)
    await field.press('Enter')
    await connected(page)
    expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).not.toContain(password)

    await server.whileStopped(() => expect(page.getByText('Connection lost.')).toBeVisible())
    await connected(page)
    await expect(screen(page).locator('canvas')).toBeVisible()
  },
)

test(
  'a session ended by an administrator says so and stays ended',
  { tag: '@night' },
  async ({ page, server, owner, device, vnc }) => {
    await openVnc(page, server.url, device, vnc.port)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await connected(page)
    const { items } = await owner.applianceRemoteSessions.list({})
    await owner.applianceRemoteSessions.end({ params: { sessionId: items[0]!.id }, body: { reason: 'Lunch' } })
    await expect(page.getByText('The VNC server on the device or an administrator closed the session.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Connect again' })).toBeVisible()
  },
)
