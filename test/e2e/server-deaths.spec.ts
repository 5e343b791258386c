import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { XProgram } from '../agent/desktop/x-program.ts'
import { addressOf, bytesOf, dock, row } from '../renderer/support/files.ts'
import { usePage } from '../renderer/support/fixtures.ts'
import { expect, isNear, pixelAt, running, takeControl, test as desktopTest } from '../renderer/support/real-desktop.ts'
import { screen } from '../renderer/support/terminal-page.ts'
import { missingForCluster, placeOf, startCluster, type TestCluster } from '../support/cluster.ts'
import { registerOwner, signInTo } from '../support/server.ts'
import { tab } from './visit-steps.ts'

/** Time in which everything on a page is back by itself. */
const backMs = 30_000

/** A page and a desktop behind the balancer of two servers. */
const test = desktopTest.extend<{ cluster: TestCluster }>({
  // oxlint-disable-next-line no-empty-pattern
  cluster: async ({}, use) => {
    const ends: (() => void | Promise<void>)[] = []
    await use(await startCluster((work) => void ends.push(work)))
    for (const end of ends.toReversed()) {
      await end()
    }
  },
  owner: async ({ cluster, context }, use) => {
    await registerOwner(cluster.first.url)
    const owner = await signInTo(cluster.url)
    await usePage(context, owner)
    await use(owner)
  },
})

test.setTimeout(240_000)
test.skip(missingForCluster !== undefined, missingForCluster)

/** Kills the server that holds a device; returns a function that starts it again. */
async function killHolder(cluster: TestCluster, deviceId: string) {
  const { holder } = await placeOf(cluster, deviceId)
  await holder.process.kill()
  return () => holder.start()
}

test(
  'remote control and a terminal come back without a click, whichever server is killed',
  { tag: '@night' },
  async ({ page, cluster, desktop }) => {
    const program = await XProgram.start(desktop.display.name)
    const window = await program.openWindow(100, 100, 300, 200)
    const show = async (color: number) => {
      await program.fill(0, 0, 300, 200, color, window)
      const channels = [color >> 16, (color >> 8) & 0xff, color & 0xff]
      await expect.poll(async () => isNear(await pixelAt(page, 250, 200), channels), { timeout: backMs }).toBe(true)
    }
    const types = async (line: string, expected: string) => {
      await expect(page.getByText('Connected', { exact: true })).toBeVisible({ timeout: backMs })
      await page.keyboard.type(`${line}\n`)
      await expect(screen(page)).toContainText(expected)
    }
    await takeControl(page, cluster.url, desktop)
    await show(0x20a040)
    await tab(page, 'Terminal').click()
    await types('kept=4; echo be$((20+1))fore', 'be21fore')

    const startTerminalsServer = await killHolder(cluster, desktop.device.id)
    await types('echo af${kept}ter', 'af4ter')
    await tab(page, 'Remote control').click()
    await running(page)
    await show(0xc02040)
    await startTerminalsServer()

    // Now the device is on the other server, and so is the page if it was not before.
    const startServer = await killHolder(cluster, desktop.device.id)
    await show(0x2040c0)
    await running(page)
    await tab(page, 'Terminal').click()
    await types('echo ag${kept}ain', 'ag4ain')
    await startServer()
    program.stop()
  },
)

/** Begins an upload of a file into the shown folder. */
async function chooseUpload(page: Page, source: string) {
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload' }).click()
  await page.getByRole('menuitem', { name: 'Files…' }).click()
  await (await choosing).setFiles(source)
}

test(
  'an upload and a download go on by themselves where they were when their server was killed',
  { tag: '@night' },
  async ({ page, cluster, desktop: { device } }) => {
    const content = bytesOf(60_000_000)
    const [source, folder] = [device.path('large.bin'), device.path('inbox')]
    writeFileSync(source, content)
    mkdirSync(folder)
    await page.addInitScript(() => {
      Object.assign(window, {
        showSaveFilePicker: async ({ suggestedName }: { suggestedName: string }) =>
          (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true }),
      })
    })
    const browser = await page.context().newCDPSession(page)
    const slow = (throughput: number) =>
      browser.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: throughput,
        uploadThroughput: throughput,
      })
    const offsets: number[] = []
    page.on('request', (request) => {
      const offset =
        new URL(request.url()).searchParams.get('offset') ?? /bytes=(\d+)/.exec(request.headers().range ?? '')?.[1]
      offsets.push(...(offset === undefined ? [] : [Number(offset)]))
    })
    await browser.send('Network.enable')
    await page.goto(addressOf(cluster.url, device, folder))
    await expect(page.getByRole('heading', { name: 'This folder is empty' })).toBeVisible()

    await slow(2_500_000)
    await chooseUpload(page, source)
    // The pointer is on the list, so it stays open.
    await dock(page).hover()
    const line = dock(page).getByRole('listitem').filter({ hasText: 'large.bin' }).first()
    await expect(line).toContainText(/(?:[4-9]\.\d|\d\d) MiB of 57 MiB/)
    const startServer = await killHolder(cluster, device.id)
    await slow(-1)
    await expect(line).toContainText('Done', { timeout: backMs })
    expect(readFileSync(`${folder}/large.bin`).equals(content)).toBe(true)
    expect(offsets.at(-1)).toBeGreaterThan(0)
    await startServer()

    await expect(row(page, 'large.bin')).toBeVisible()
    await slow(2_500_000)
    await row(page, 'large.bin').dblclick()
    const down = dock(page).getByRole('listitem').filter({ hasText: 'from' })
    await expect(down).toContainText(/(?:[4-9]\.\d|\d\d) MiB of 57 MiB/)
    offsets.length = 0
    const startOther = await killHolder(cluster, device.id)
    await slow(-1)
    await expect(down).toContainText('Done', { timeout: backMs })
    expect(offsets.at(-1)).toBeGreaterThan(0)
    const saved = await page.evaluate(async () => {
      const file = await (await (await navigator.storage.getDirectory()).getFileHandle('large.bin')).getFile()
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
      return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
    })
    expect(saved).toBe(createHash('sha256').update(content).digest('hex'))
    await startOther()
  },
)

test('every page shows that Redis is away, until it is back', { tag: '@night' }, async ({ page, cluster, owner }) => {
  const line = page.getByText('Redis does not answer')
  await page.goto(`${owner.url}/devices`)
  await expect(page.getByRole('heading', { name: 'Devices', exact: true })).toBeVisible()
  await expect(line).toBeHidden()
  await cluster.redis.stop()
  // The page asks every 30 s while all is well.
  await expect(line).toBeVisible({ timeout: 2 * backMs })
  for (const path of ['batches', 'alerts', 'people', 'account', 'server']) {
    await page.goto(`${owner.url}/${path}`)
    await expect(line).toBeVisible()
  }
  await cluster.redis.start()
  await expect(line).toBeHidden({ timeout: backMs })
})
