import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium, type Page } from '@playwright/test'
import sharp from 'sharp'
import { devices } from '../shared/api/devices.ts'
import { createClient } from '../shared/contract/client.ts'
import { inParallel } from '../shared/in-parallel.ts'
import { build } from './build.mjs'
import { chromiumLaunch, inPath } from './chromium.mjs'
import { answerHelp } from './help.mjs'
import { startXvfb, type XDisplay } from './simulate/display.ts'
import { demoAccount, registerFleet, signIn } from './simulate/fleet.ts'
import { signInBrowser } from './simulate/page-session.ts'
import { startBuiltAgent } from './simulate/real-agent.ts'
import { startServer } from './simulate/server-process.ts'
import { temporaryFolder } from './simulate/temporary-folder.ts'

answerHelp(`npm run pictures

Takes the pictures of the README from the demo: its devices, and remote control of this machine with the real agent, in
light and dark. Writes docs/pictures/*.webp. Linux only; needs the packages of the tests (Xvfb, Openbox, Chromium).`)

const folder = join(import.meta.dirname, '..', 'docs', 'pictures')
const deskPage = join(import.meta.dirname, 'pictures', 'desk.html')
const viewport = { width: 1280, height: 800 }
const deskSize = { width: 1280, height: 720 }
const deviceCount = 60
const visitedName = 'Front desk'
/** Longest wait for a page or a session. */
const timeoutMs = 60_000

/** Opens a desktop with a window: what the device of the second picture shows. */
async function openDesk(profile: string): Promise<{ display: XDisplay } & AsyncDisposable> {
  const display = await startXvfb(`${deskSize.width}x${deskSize.height}x24`)
  const program = inPath('chromium') ?? inPath('google-chrome') ?? 'chromium'
  const root = process.getuid?.() === 0 ? ['--no-sandbox', '--test-type'] : []
  const size = `--window-size=${deskSize.width},${deskSize.height}`
  const chrome = [
    ...root,
    '--disable-gpu',
    '--no-first-run',
    '--window-position=0,0',
    size,
    `--user-data-dir=${profile}`,
  ]
  const browser = spawn(program, [...chrome, `--app=${pathToFileURL(deskPage).href}`], {
    env: { ...process.env, DISPLAY: display.name },
    stdio: 'ignore',
  })
  return {
    display,
    async [Symbol.asyncDispose]() {
      browser.kill()
      await display.stop()
    },
  }
}

/** Saves the page as it is on screen, once for each color scheme. */
async function take(page: Page, name: string) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // Colors change by a transition.
    await page.waitForTimeout(1000)
    const file = join(folder, `${name}-${colorScheme}.webp`)
    await sharp(await page.screenshot())
      .webp({ quality: 80, effort: 6 })
      .toFile(file)
    process.stdout.write(`${file}\n`)
  }
}

async function takeAll(page: Page, url: string, { deviceId, display }: { deviceId: string; display: XDisplay }) {
  await page.goto(url)
  await page.getByRole('row').nth(10).waitFor({ timeout: timeoutMs })
  await take(page, 'devices')
  await page.goto(`${url}/devices/${deviceId}/control`)
  const card = page.getByRole('listitem').filter({ hasText: new RegExp(`Console - X11: ${display.name}(?!\\d)`) })
  await card.getByRole('button', { name: 'Control', exact: true }).click({ timeout: timeoutMs })
  await page.getByText('In control').waitFor({ timeout: timeoutMs })
  await page.getByText(/Connecting…|Loading the picture/).waitFor({ state: 'detached', timeout: timeoutMs })
  // Areas that stand still are sent again in full colors.
  await page.waitForTimeout(3000)
  await take(page, 'control')
}

async function takePictures(): Promise<void> {
  await using profile = await temporaryFolder()
  await using desk = await openDesk(profile.path)
  await using browser = await chromium.launch(chromiumLaunch())
  await using data = await temporaryFolder()
  await using server = await startServer(data.path)
  const { url } = server
  const { agents } = await registerFleet(url, deviceCount)
  await inParallel(
    agents.filter((_, index) => index % 7 !== 3),
    20,
    (agent) => agent.connect(url),
  )
  const account = await signIn(url)
  await using device = await startBuiltAgent(url, account)
  const client = createClient(devices, { baseUrl: url, fetch: account.fetch })
  await client.setAlias({ params: { deviceId: device.id }, body: { alias: visitedName } })
  const context = await browser.newContext({ viewport })
  await signInBrowser(context, url, demoAccount)
  await takeAll(await context.newPage(), url, { deviceId: device.id, display: desk.display })
}

await build()
await mkdir(folder, { recursive: true })
await takePictures()
process.exit(0)
