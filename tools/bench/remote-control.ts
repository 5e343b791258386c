import { readFile } from 'node:fs/promises'
import { chromium, type Browser, type Page } from '@playwright/test'
import { chromiumLaunch } from '../chromium.mjs'
import { startXvfb } from '../simulate/display.ts'
import { demoAccount, openAccount } from '../simulate/fleet.ts'
import { signInBrowser } from '../simulate/page-session.ts'
import { withRealAgent } from '../simulate/real-agent.ts'
import { withServer, type ServerProcess } from '../simulate/server-process.ts'
import { SlowLink, type LinkShape } from '../simulate/slow-link.ts'
import { connectViewer } from '../simulate/viewer.ts'
import { openStage, stampNumbers, type Stage } from './capture-scenes.ts'
import { probeWorkers, sample, type Drawn, type PageMetrics } from './drawn-probe.ts'
import { median, percentile, rounded, sleep } from './measure.ts'
import { browserThreads, pidOf, threadsOf, type ThreadSeconds } from './threads.ts'

const size = { width: 1920, height: 1080 }
const stepMs = 1000 / 60
const warmUpMs = 3000
/** Threads that take less are left out, in ms per frame. */
const leastThreadMs = 0.3

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

/** Process of the device that serves the display. */
async function processOf(url: string, cookie: string, deviceId: string, display: string): Promise<number> {
  const { connection, viewer } = await connectViewer(url, cookie)
  const { value } = await viewer.GetActiveDesktopSessions2({ deviceId })
  await connection.stop()
  return value?.sessions.find(({ name }) => name === `Console - X11: ${display}`)?.processId ?? 0
}

interface Viewer {
  page: Page
  drawn: Drawn[]
  metrics: PageMetrics[]
  /** CPU seconds so far, by process and thread. */
  threads: () => Promise<ThreadSeconds>
}

/** Milliseconds of CPU per frame, by thread. */
function perFrame(before: ThreadSeconds, after: ThreadSeconds, frames: number) {
  const threads = [...after].map(([name, seconds]) => {
    const ms = ((seconds - (before.get(name) ?? 0)) * 1000) / Math.max(1, frames)
    return { name, ms }
  })
  const sumOf = (...roles: string[]) =>
    rounded(threads.filter(({ name }) => roles.includes(name.split('/')[0] ?? '')).reduce((sum, { ms }) => sum + ms, 0))
  const rest = ['browser', 'gpu-process', 'utility', 'zygote']
  const most = threads.filter(({ ms }) => ms >= leastThreadMs).toSorted((a, b) => b.ms - a.ms)
  return {
    pageMs: sumOf('renderer'),
    browserMs: sumOf(...rest),
    agentMs: sumOf('agent'),
    serverMs: sumOf('server'),
    displayMs: sumOf('display'),
    threads: Object.fromEntries(most.map(({ name, ms }) => [name, rounded(ms)])),
  }
}

/** Frames of one scene, with their delays since the shown step was drawn. */
class Frames {
  readonly delaysMs: number[] = []
  readonly decibels: number[] = []
  count = 0
  readonly #stage: Stage
  readonly #hasKnownPicture: boolean
  readonly #ahead: number
  readonly #steps: { step: number; at: number }[] = []

  constructor(stage: Stage, scene: keyof Stage['scenes'], ahead: number) {
    this.#stage = stage
    this.#hasKnownPicture = scene === 'motion'
    this.#ahead = ahead
  }

  drawnAtDevice(step: number) {
    this.#steps[step % stampNumbers] = { step, at: wallClock() }
  }

  /** Numbers repeat after four seconds, so frames are evaluated before that. */
  take(drawn: Drawn[]) {
    this.count += drawn.length
    for (const { step: number, at, pixels } of drawn.splice(0)) {
      const shown = this.#steps[number]
      if (shown) {
        this.delaysMs.push(at - this.#ahead - shown.at)
        if (pixels !== undefined && this.#hasKnownPicture) {
          this.decibels.push(this.#stage.motionDb(shown.step, sample, Buffer.from(pixels, 'base64')))
        }
      }
    }
  }
}

async function play(stage: Stage, scene: keyof Stage['scenes'], viewer: Viewer, seconds: number) {
  const { drawn, metrics } = viewer
  const frames = new Frames(stage, scene, await clockAhead(viewer.page))
  let step = 1
  const startedAt = wallClock()
  const playUntil = async (endMs: number) => {
    for (; wallClock() - startedAt < endMs; step++) {
      const waitMs = startedAt + step * stepMs - wallClock()
      if (waitMs > 0) {
        await sleep(waitMs)
      }
      frames.drawnAtDevice(step)
      stage.scenes[scene](step)
    }
  }
  await playUntil(warmUpMs)
  const before = await viewer.threads()
  const from = wallClock()
  drawn.length = metrics.length = 0
  for (let second = 1; second <= seconds; second++) {
    await playUntil(warmUpMs + second * 1000)
    frames.take(drawn)
  }
  const elapsed = (wallClock() - from) / 1000
  const after = await viewer.threads()
  const { delaysMs, decibels, count } = frames
  const medianOf = (name: keyof PageMetrics) => rounded(median(metrics.flatMap((one) => one[name] ?? [])))
  return {
    framesPerSecond: rounded(count / elapsed),
    p50Ms: rounded(percentile(delaysMs, 0.5)),
    p95Ms: rounded(percentile(delaysMs, 0.95)),
    ...(decibels.length > 0 && { decibels: rounded(median(decibels)) }),
    mbps: medianOf('mbps'),
    quality: medianOf('quality'),
    ...perFrame(before, after, count),
  }
}

interface Place {
  url: string
  deviceId: string
  display: string
  /** Called when the page has loaded, before the session begins. */
  onLoad: () => void
}

/** Opens the page of a desktop, with the probe in its worker. */
async function openPage(page: Page, { url, deviceId, display, onLoad }: Place): Promise<void> {
  await page.goto(`${url}/devices/${deviceId}/control`)
  const card = page.getByRole('listitem').filter({ hasText: new RegExp(`Console - X11: ${display}(?!\\d)`) })
  const button = card.getByRole('button', { name: 'Control', exact: true })
  await button.waitFor({ timeout: 60_000 })
  onLoad()
  await button.click()
  await page.getByText('In control').waitFor({ timeout: 60_000 })
}

/** Opens the desktop in a new page, and closes the page after `work`. */
async function withPage<T>(
  browser: Browser,
  place: Place,
  threads: Viewer['threads'],
  work: (viewer: Viewer) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({ viewport: { width: 1600, height: 1000 } })
  try {
    await signInBrowser(context, place.url, demoAccount)
    const page = await context.newPage()
    const viewer: Viewer = { page, drawn: [], metrics: [], threads }
    await probeWorkers(page, (drawn, metrics) => {
      viewer.drawn.push(...drawn)
      viewer.metrics.push(metrics)
    })
    await openPage(page, place)
    return await work(viewer)
  } finally {
    await context.close()
  }
}

const wide: LinkShape = { mbps: 20, roundTripMs: 50 }
const narrow: LinkShape = { mbps: 5, roundTripMs: 50 }

interface Row {
  name: string
  scene: keyof Stage['scenes']
  link?: LinkShape
}

const rows: readonly Row[] = [
  { name: 'typing', scene: 'typing' },
  { name: 'scrolling', scene: 'scrolling' },
  { name: 'motion', scene: 'motion' },
  { name: 'typing at 20 Mbit/s', scene: 'typing', link: wide },
  { name: 'scrolling at 20 Mbit/s', scene: 'scrolling', link: wide },
  { name: 'motion at 20 Mbit/s', scene: 'motion', link: wide },
  { name: 'typing at 5 Mbit/s', scene: 'typing', link: narrow },
  { name: 'scrolling at 5 Mbit/s', scene: 'scrolling', link: narrow },
  { name: 'motion at 5 Mbit/s', scene: 'motion', link: narrow },
]

interface Bench {
  browser: Browser
  stage: Stage
  display: { name: string; pid: number }
  server: ServerProcess
  deviceId: string
  cookie: string
  marker: string
  seconds: number
}

async function playRow(bench: Bench, { scene, link: shape }: Row) {
  const { browser, stage, display, server, deviceId, cookie, marker, seconds } = bench
  const link = shape && (await SlowLink.open(server.url))
  const [agentPid, browserPid] = await Promise.all([
    processOf(server.url, cookie, deviceId, display.name),
    pidOf(marker),
  ])
  const threads = async (): Promise<ThreadSeconds> => {
    const all = await Promise.all([
      browserThreads(browserPid),
      threadsOf(agentPid, 'agent'),
      threadsOf(server.pid, 'server'),
      threadsOf(display.pid, 'display'),
    ])
    return new Map(all.flatMap((some) => [...some]))
  }
  stage.clear()
  try {
    const onLoad = () => {
      if (shape) {
        link?.shape(shape)
      }
    }
    const place = { url: link?.url ?? server.url, deviceId, display: display.name, onLoad }
    return await withPage(browser, place, threads, (viewer) => play(stage, scene, viewer, seconds))
  } finally {
    link?.close()
  }
}

/**
 * Measures pixels drawn at 60 steps a second until they are on the canvas of a real browser. `only` selects the rows
 * whose names contain it.
 */
export async function remoteControl({
  seconds = '8',
  only = '',
}: {
  seconds?: string | undefined
  only?: string | undefined
}) {
  const display = await startXvfb(`${size.width}x${size.height}x24`)
  const stage = await openStage(display.name, size.width, size.height)
  const marker = `--farhand-bench=${process.pid}`
  const launch = chromiumLaunch()
  const browser = await chromium.launch({ ...launch, args: [...launch.args, marker] })
  try {
    return await withServer({}, async (server) => {
      const account = await openAccount(server.url)
      return await withRealAgent(server.url, account, async (deviceId) => {
        const found: Record<string, Awaited<ReturnType<typeof playRow>>> = {}
        const { cookie } = account
        for (const row of rows.filter(({ name }) => name.includes(only))) {
          const bench = { browser, stage, display, server, deviceId, cookie, marker, seconds: Number(seconds) }
          found[row.name] = await playRow(bench, row)
        }
        const [load] = (await readFile('/proc/loadavg', 'utf8')).split(' ')
        return { size, load: Number(load), ...found }
      })
    })
  } finally {
    await browser.close()
    stage.close()
    await display.stop()
  }
}
