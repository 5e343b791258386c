import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Browser, type Page } from '@playwright/test'
import { chromiumLaunch } from '../chromium.mjs'
import { startXvfb } from '../simulate/display.ts'
import { demoAccount } from '../simulate/fleet.ts'
import { signInBrowser } from '../simulate/page-session.ts'
import { serveDevice, type ServedDevice } from '../simulate/served-device.ts'
import { SlowLink, type LinkShape } from '../simulate/slow-link.ts'
import { probeWorkers, takeDrawn, untilPictureSeen } from './drawn-probe.ts'
import { costOf, median, percentiles, type Figures, type Round } from './measure.ts'
import { openStage, stampNumbers, type Stage } from './scenes.ts'

const size = { width: 1920, height: 1080 }
const stepMs = 1000 / 60
const warmUpMs = 3000
const longestStartMs = 60_000
const settleMs = 500

/** Device whose display has a window that fills it, and a browser. */
export interface Place extends ServedDevice {
  browser: Browser
  stage: Stage
  /** Name of the display that the device shows. */
  display: string
}

export async function openPlace(): Promise<Place> {
  await using opening = new AsyncDisposableStack()
  const { name: display } = opening.use(await startXvfb(`${size.width}x${size.height}x24`))
  const stage = opening.use(await openStage(display, size.width, size.height))
  const browser = opening.use(await chromium.launch(chromiumLaunch()))
  const served = opening.use(await serveDevice())
  const opened = opening.move()
  return { ...served, browser, stage, display, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

const controlButton = (page: Page, display: string) =>
  page
    .getByRole('listitem')
    .filter({ hasText: new RegExp(`Console - X11: ${display}(?!\\d)`) })
    .getByRole('button', { name: 'Control', exact: true })

interface View {
  /** Link between page and server; without one the page does not pass the proxy, which would take processor time. */
  shape?: LinkShape | undefined
  /** False for a browser without a decoder of video. */
  decodesVideo?: boolean
}

/** Page that controls the display. */
interface ControlPage extends AsyncDisposable {
  page: Page
  /** Milliseconds from the click to the first picture. */
  startMs: number
}

export async function openPage(
  { server, device, browser, display }: Place,
  { shape, decodesVideo = true }: View = {},
): Promise<ControlPage> {
  await using opening = new AsyncDisposableStack()
  const link = shape && opening.adopt(await SlowLink.open(server.url), (each) => each.close())
  const url = link?.url ?? server.url
  const context = opening.use(await browser.newContext({ viewport: { width: 1600, height: 1000 } }))
  await signInBrowser(context, url, demoAccount)
  const page = await context.newPage()
  await probeWorkers(page, { decodesVideo })
  await page.goto(`${url}/devices/${device.id}/control`)
  const button = controlButton(page, display)
  await button.waitFor({ timeout: longestStartMs })
  if (shape) {
    link?.shape(shape)
  }
  await button.click()
  const startMs = await untilPictureSeen(page)
  const opened = opening.move()
  return { page, startMs, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** Plays a scene at 60 steps a second; delays are from the drawing at the device to the canvas of the page. */
export async function play(
  { stage, server }: Place,
  page: Page,
  scene: keyof Stage['scenes'],
  seconds: number,
): Promise<Figures> {
  const drawnAt: number[] = []
  const delaysMs: number[] = []
  const taken: Awaited<ReturnType<typeof takeDrawn>>['metrics'][] = []
  const startedAt = Date.now()
  let step = 1
  const playUntil = async (endMs: number) => {
    for (; Date.now() - startedAt < endMs; step++) {
      await sleep(Math.max(0, startedAt + step * stepMs - Date.now()))
      drawnAt[step % stampNumbers] = Date.now()
      stage.scenes[scene](step)
    }
  }
  stage.clear()
  await playUntil(warmUpMs)
  await takeDrawn(page)
  const take = async () => {
    const { drawn, metrics } = await takeDrawn(page)
    delaysMs.push(...drawn.map((frame) => frame.at - (drawnAt[frame.step] ?? Number.NaN)))
    taken.push(metrics)
  }
  const cost = await costOf({ server }, async () => {
    // Numbers repeat after four seconds, so frames are evaluated before that.
    for (let second = 1; second <= seconds; second++) {
      await Promise.all([take(), playUntil(warmUpMs + second * 1000)])
    }
    await take()
  })
  return {
    framesPerSecond: delaysMs.length / cost.seconds,
    cpuMsOfServerPerFrame: (cost.cpu.server * 1000) / delaysMs.length,
    ...percentiles(delaysMs),
    mbps: median(taken.flatMap(({ mbps }) => mbps ?? [])),
    quality: median(taken.flatMap(({ quality }) => quality ?? [])),
  }
}

const views = [
  { name: 'typing', scene: 'typing' },
  { name: 'scrolling', scene: 'scrolling' },
  { name: 'motion', scene: 'motion' },
  { name: 'motion as images', scene: 'motion', decodesVideo: false },
] as const
const links: Record<string, LinkShape | undefined> = {
  '': undefined,
  ' at 20 Mbit/s': { mbps: 20, roundTripMs: 50 },
  ' at 5 Mbit/s': { mbps: 5, roundTripMs: 50 },
}

export async function remoteControl(round: Round): Promise<void> {
  await using place = await openPlace()
  const seconds = round.number('seconds', 8)
  const rows = Object.entries(links).flatMap(([link, shape]) =>
    views.map(({ name, scene, ...view }) => ({ work: name + link, scene, view: { ...view, shape } })),
  )
  for (const { work, scene, view } of rows.filter((row) => round.wants(row.work))) {
    await using control = await openPage(place, view)
    round.record(work, await play(place, control.page, scene, seconds))
  }
}

const starts = 15

/** Ends the session of a page and begins another one there; returns the time to its first picture. */
async function controlAgain(page: Page, { display }: Place): Promise<number> {
  await page.getByRole('button', { name: 'End the session' }).click()
  await page.getByRole('button', { name: 'All desktops' }).click()
  // A click at once would meet the end of the session before and the list of desktops.
  await sleep(settleMs)
  await controlButton(page, display).click()
  return await untilPictureSeen(page)
}

/** Times from the click on "Control" to the first picture in the page: in a page of its own each, and once more there. */
export async function startOfSession(round: Round): Promise<void> {
  await using place = await openPlace()
  place.stage.scenes.scrolling(1)
  const [times, again]: [number[], number[]] = [[], []]
  for (let start = 0; start <= starts; start++) {
    await using control = await openPage(place)
    times.push(control.startMs)
    again.push(await controlAgain(control.page, place))
  }
  // The first one starts the process of the desktop.
  const [firstMs = Number.NaN, ...later] = times
  round.record('click to first picture', { ...percentiles(later), firstMs })
  round.record('click to first picture, again in that page', percentiles(again))
}
