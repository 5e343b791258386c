import { chromium, type Browser, type Page } from '@playwright/test'
import { chromiumLaunch } from '../chromium.mjs'
import { startXvfb } from '../simulate/display.ts'
import { demoAccount, openAccount, type Account } from '../simulate/fleet.ts'
import { signInBrowser } from '../simulate/page-session.ts'
import { withRealAgent } from '../simulate/real-agent.ts'
import { withServer, type ServerProcess } from '../simulate/server-process.ts'
import { SlowLink, type LinkShape } from '../simulate/slow-link.ts'
import { probeWorkers, type Drawn, type PageMetrics } from './drawn-probe.ts'
import { costOf, median, percentiles, sleep, type Figures, type Round } from './measure.ts'
import { openStage, stampNumbers, type Stage } from './scenes.ts'

const size = { width: 1920, height: 1080 }
const stepMs = 1000 / 60
const warmUpMs = 3000

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

export interface Viewer {
  page: Page
  drawn: Drawn[]
  metrics: PageMetrics[]
}

/** Plays a scene at 60 steps a second; delays are from the drawing at the device to the canvas of the page. */
export async function play(
  draw: (step: number) => void,
  { page, drawn, metrics }: Viewer,
  server: ServerProcess,
  seconds: number,
): Promise<Figures> {
  const ahead = await clockAhead(page)
  const drawnAt: number[] = []
  const delaysMs: number[] = []
  let step = 1
  const startedAt = wallClock()
  const playUntil = async (endMs: number) => {
    for (; wallClock() - startedAt < endMs; step++) {
      await sleep(Math.max(0, startedAt + step * stepMs - wallClock()))
      drawnAt[step % stampNumbers] = wallClock()
      draw(step)
    }
  }
  await playUntil(warmUpMs)
  drawn.length = metrics.length = 0
  const cost = await costOf({ server }, async () => {
    // Numbers repeat after four seconds, so frames are evaluated before that.
    for (let second = 1; second <= seconds; second++) {
      await playUntil(warmUpMs + second * 1000)
      delaysMs.push(...drawn.splice(0).map((frame) => frame.at - ahead - (drawnAt[frame.step] ?? Number.NaN)))
    }
  })
  return {
    framesPerSecond: delaysMs.length / cost.seconds,
    cpuMsOfServerPerFrame: (cost.cpu.server * 1000) / delaysMs.length,
    ...percentiles(delaysMs),
    mbps: median(metrics.flatMap(({ mbps }) => mbps ?? [])),
    quality: median(metrics.flatMap(({ quality }) => quality ?? [])),
  }
}

export interface Place {
  server: ServerProcess
  account: Account
  browser: Browser
  stage: Stage
  /** Name of the display that the devices show. */
  display: string
}

/** Runs work with a server, a display with a window that fills it, and a browser. */
export async function withPlace(work: (place: Place) => Promise<void>): Promise<void> {
  const display = await startXvfb(`${size.width}x${size.height}x24`)
  const stage = await openStage(display.name, size.width, size.height)
  const browser = await chromium.launch(chromiumLaunch())
  try {
    await withServer({}, async (server) => {
      await work({ server, account: await openAccount(server.url), browser, stage, display: display.name })
    })
  } finally {
    await browser.close()
    stage.close()
    await display.stop()
  }
}

interface PageOptions {
  address: URL
  display: string
  /** False for a browser without a decoder of video. */
  decodesVideo?: boolean
  /** Called before the click that begins the session. */
  onLoad: (page: Page) => unknown
}

/** Opens the desktop of a display in a new page, and closes the page after `work`. */
export async function withPage(
  browser: Browser,
  { address, display, decodesVideo = true, onLoad }: PageOptions,
  work: (viewer: Viewer) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1600, height: 1000 } })
  try {
    await signInBrowser(context, address.origin, demoAccount)
    const page = await context.newPage()
    const viewer: Viewer = { page, drawn: [], metrics: [] }
    await probeWorkers(page, { decodesVideo }, (drawn, metrics) => {
      viewer.drawn.push(...drawn)
      viewer.metrics.push(metrics)
    })
    await page.goto(address.href)
    const card = page.getByRole('listitem').filter({ hasText: new RegExp(`Console - X11: ${display}(?!\\d)`) })
    const button = card.getByRole('button', { name: 'Control', exact: true })
    await button.waitFor({ timeout: 60_000 })
    await onLoad(page)
    await button.click()
    await page.getByText('In control').waitFor({ timeout: 60_000 })
    await work(viewer)
  } finally {
    await context.close()
  }
}

const scenes: readonly (keyof Stage['scenes'])[] = ['typing', 'scrolling', 'motion']
const links: Record<string, LinkShape | undefined> = {
  '': undefined,
  ' at 20 Mbit/s': { mbps: 20, roundTripMs: 50 },
  ' at 5 Mbit/s': { mbps: 5, roundTripMs: 50 },
}

export async function remoteControl(round: Round): Promise<void> {
  const rows = Object.entries(links).flatMap(([name, shape]) => [
    ...scenes.map((scene) => ({ work: scene + name, scene, shape, decodesVideo: true })),
    { work: `motion as images${name}`, scene: 'motion' as const, shape, decodesVideo: false },
  ])
  await withPlace(({ server, account, browser, stage, display }) =>
    withRealAgent(server.url, account, async (deviceId) => {
      for (const { work, scene, shape, decodesVideo } of rows.filter((row) => round.wants(row.work))) {
        stage.clear()
        const link = await SlowLink.open(server.url)
        // Without a shape the page does not pass the proxy, which would take processor time.
        const address = new URL(`/devices/${deviceId}/control`, shape ? link.url : server.url)
        const onLoad = () => shape && link.shape(shape)
        await withPage(browser, { address, display, decodesVideo, onLoad }, async (viewer) => {
          const seconds = round.number('seconds', 8)
          round.record(work, await play(stage.scenes[scene], viewer, server, seconds))
        })
        link.close()
      }
    }),
  )
}

const starts = 15
const lookMs = 50

/** Has the page note the time of its last click. */
const noteClicks = (page: Page) =>
  page.evaluate(
    "addEventListener('click', () => (window.clickedAt = performance.timeOrigin + performance.now()), true)",
  )

/** Times from the click on "Control" to the first picture on the canvas, each in a page of its own. */
export async function startOfSession(round: Round): Promise<void> {
  await withPlace(({ server, account, browser, stage, display }) =>
    withRealAgent(server.url, account, async (deviceId) => {
      stage.scenes.scrolling(1)
      const address = new URL(`/devices/${deviceId}/control`, server.url)
      const times: number[] = []
      for (let start = 0; start <= starts; start++) {
        await withPage(browser, { address, display, onLoad: noteClicks }, async ({ page, drawn }) => {
          while (drawn.length === 0) {
            await sleep(lookMs)
          }
          times.push(drawn[0]!.at - (await page.evaluate<number>('window.clickedAt')))
        })
      }
      // The first one starts the process of the desktop.
      const [firstMs = Number.NaN, ...later] = times
      round.record('click to first picture', { ...percentiles(later), firstMs })
    }),
  )
}
