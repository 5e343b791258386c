import { readFile, readdir } from 'node:fs/promises'
import { chromium, type BrowserContext, type CDPSession, type Page } from '@playwright/test'
import { chromiumLaunch } from '../chromium.mjs'
import { startXvfb } from '../simulate/display.ts'
import { demoAccount, openAccount } from '../simulate/fleet.ts'
import { signInBrowser } from '../simulate/page-session.ts'
import { withRealAgent } from '../simulate/real-agent.ts'
import { cpuSecondsOf, withServer, type ServerProcess } from '../simulate/server-process.ts'
import { connectViewer } from '../simulate/viewer.ts'
import { openStage, stamp, stampNumbers, type Stage } from './capture-scenes.ts'
import { percentile, rounded, sleep } from './measure.ts'

const size = { width: 1920, height: 1080 }
const stepMs = 1000 / 60
const warmUpMs = 1500
const channelName = 'farhand-bench'

/**
 * Probe injected before the worker's own code: reads the stamp of the scene after each drawing that touched the stamp,
 * and posts its number with the time.
 */
const probe = `{
  const told = new BroadcastChannel('${channelName}')
  const { prototype } = OffscreenCanvasRenderingContext2D
  const { drawImage } = prototype
  let isDue = false
  prototype.drawImage = function (...what) {
    drawImage.apply(this, what)
    if (!isDue && what[0] instanceof ImageBitmap) {
      isDue = true
      const context = this
      // Runs after the other regions of the frame.
      queueMicrotask(() => {
        isDue = false
        const { data } = context.getImageData(0, 0, ${stamp.width}, ${stamp.height})
        let step = 0
        for (let bit = 0; bit < 8; bit++) {
          step |= data[(4 * ${stamp.width} + bit * 8 + 4) * 4 + 1] < 128 ? 1 << bit : 0
        }
        told.postMessage({ step, at: performance.timeOrigin + performance.now() })
      })
    }
  }
}
`

/** Page code that returns the probe's data in batches, because a call per frame would distort the measurement. */
const probedWorkers = `{
  const Plain = Worker
  // Installs the probe before the worker receives any message.
  window.Worker = class extends Plain {
    constructor(url, options) {
      const source = 'import ' + JSON.stringify(new URL(url, location.href).href) + '\\n' + ${JSON.stringify(probe)}
      super(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })), options)
    }
  }
  let waiting = []
  new BroadcastChannel('${channelName}').addEventListener('message', ({ data }) => waiting.push(data))
  setInterval(() => {
    window.tellDrawn?.(waiting)
    waiting = []
  }, 500)
}`

interface Drawn {
  step: number
  at: number
}

const wallClock = () => performance.timeOrigin + performance.now()

/** Offset of the browser's clock, from the answer with the shortest round trip. */
async function clockAhead(page: Page): Promise<number> {
  let best = { roundTrip: Number.POSITIVE_INFINITY, ahead: 0 }
  for (let look = 0; look < 20; look++) {
    const before = wallClock()
    const there = await page.evaluate(() => performance.timeOrigin + performance.now())
    const after = wallClock()
    if (after - before < best.roundTrip) {
      best = { roundTrip: after - before, ahead: there - (before + after) / 2 }
    }
  }
  return best.ahead
}

/** CPU seconds of the whole browser, summed over the descendants of its first process. */
async function browserCpuSeconds(rootPid: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const parents = new Map<number, number>()
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    parents.set(pid, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const isOurs = (pid: number): boolean => pid === rootPid || (pid > 1 && isOurs(parents.get(pid) ?? 0))
  const seconds = await Promise.all(pids.filter(isOurs).map((pid) => cpuSecondsOf(pid).catch(() => 0)))
  return seconds.reduce((sum, one) => sum + one, 0)
}

/** Finds the process whose command line contains a text. */
async function pidOf(text: string): Promise<number> {
  for (const name of await readdir('/proc')) {
    const line = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')
    if (line.includes(text) && !line.includes('--type=')) {
      return Number(name)
    }
  }
  throw new Error('The browser was not found.')
}

/** Process of the device that serves the display. */
async function processOf(url: string, cookie: string, deviceId: string, display: string): Promise<number> {
  const { connection, viewer } = await connectViewer(url, cookie)
  const { value } = await viewer.GetActiveDesktopSessions2({ deviceId })
  await connection.stop()
  return value?.sessions.find(({ name }) => name === `Console - X11: ${display}`)?.processId ?? 0
}

interface Viewer {
  page: Page
  cdp: CDPSession
  drawn: Drawn[]
  browserPid: number
  server: ServerProcess
  desktopPid: number
}

/** CPU seconds of the page's main thread. */
async function mainThreadSeconds(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
}

async function play(draw: (step: number) => void, viewer: Viewer, seconds: number) {
  const { page, cdp, drawn, browserPid, server, desktopPid } = viewer
  const ahead = await clockAhead(page)
  const drawnAt: number[] = []
  let step = 1
  const startedAt = wallClock()
  const playUntil = async (endMs: number) => {
    for (; wallClock() - startedAt < endMs; step++) {
      const waitMs = startedAt + step * stepMs - wallClock()
      if (waitMs > 0) {
        await sleep(waitMs)
      }
      drawnAt[step % stampNumbers] = wallClock()
      draw(step)
    }
  }
  const delaysMs: number[] = []
  await playUntil(warmUpMs)
  const cpu = async () => ({
    browser: await browserCpuSeconds(browserPid),
    main: await mainThreadSeconds(cdp),
    server: await server.cpuSeconds(),
    desktop: await cpuSecondsOf(desktopPid),
  })
  const before = await cpu()
  const from = wallClock()
  drawn.length = 0
  // Numbers repeat after four seconds, so each round is evaluated before that.
  let frames = 0
  const look = () => {
    frames += drawn.length
    for (const { step: shown, at } of drawn.splice(0)) {
      const since = drawnAt[shown]
      if (since !== undefined) {
        delaysMs.push(at - ahead - since)
      }
    }
  }
  for (let second = 1; second <= seconds; second++) {
    await playUntil(warmUpMs + second * 1000)
    look()
  }
  const elapsed = (wallClock() - from) / 1000
  const after = await cpu()
  const cores = (name: keyof typeof before) => rounded((after[name] - before[name]) / elapsed)
  return {
    framesPerSecond: rounded(frames / elapsed),
    p50Ms: rounded(percentile(delaysMs, 0.5)),
    p99Ms: rounded(percentile(delaysMs, 0.99)),
    mainThreadMsPerFrame: rounded(((after.main - before.main) * 1000) / Math.max(1, frames)),
    browserCores: cores('browser'),
    serverCores: cores('server'),
    deviceCores: cores('desktop'),
  }
}

/** Opens the page of a desktop, with the probe in its worker. */
async function openPage(context: BrowserContext, url: string, deviceId: string, display: string): Promise<Page> {
  const page = await context.newPage()
  await page.addInitScript({ content: probedWorkers })
  await page.goto(`${url}/devices/${deviceId}/control`)
  const card = page.getByRole('listitem').filter({ hasText: new RegExp(`Console - X11: ${display}(?!\\d)`) })
  await card.getByRole('button', { name: 'Control', exact: true }).click({ timeout: 60_000 })
  await page.getByText('In control').waitFor({ timeout: 60_000 })
  return page
}

/** Measures pixels drawn at 60 steps a second until they are on the canvas of a real browser. */
export async function remoteControl({ seconds = '8' }: { seconds?: string | undefined }) {
  const display = await startXvfb(`${size.width}x${size.height}x24`)
  const stage = await openStage(display.name, size.width, size.height)
  const marker = `--farhand-bench=${process.pid}`
  const launch = chromiumLaunch()
  const browser = await chromium.launch({ ...launch, args: [...launch.args, marker] })
  try {
    return await withServer({}, async (server) => {
      const account = await openAccount(server.url)
      return await withRealAgent(server.url, account, async (deviceId) => {
        const context = await browser.newContext({ viewport: { width: 1600, height: 1000 } })
        await signInBrowser(context, server.url, demoAccount)
        const page = await openPage(context, server.url, deviceId, display.name)
        const drawn: Drawn[] = []
        await page.exposeFunction('tellDrawn', (all: Drawn[]) => drawn.push(...all))
        const cdp = await context.newCDPSession(page)
        await cdp.send('Performance.enable')
        const desktopPid = await processOf(server.url, account.cookie, deviceId, display.name)
        const viewer: Viewer = { page, cdp, drawn, server, desktopPid, browserPid: await pidOf(marker) }
        const show = async (scene: keyof Stage['scenes']) => {
          stage.clear()
          await sleep(1000)
          return await play(stage.scenes[scene], viewer, Number(seconds))
        }
        const typing = await show('typing')
        const scrolling = await show('scrolling')
        const motion = await show('motion')
        const [load] = (await readFile('/proc/loadavg', 'utf8')).split(' ')
        return { size, load: Number(load), typing, scrolling, motion }
      })
    })
  } finally {
    await browser.close()
    stage.close()
    await display.stop()
  }
}
