import type { Browser, Page } from '@playwright/test'
import { demoAccount, type Account } from '../simulate/fleet.ts'
import { signInBrowser } from '../simulate/page-session.ts'
import { withRealAgent } from '../simulate/real-agent.ts'
import { memoryMbOf } from '../simulate/process-figures.ts'
import { probeWorkers, type Drawn } from './drawn-probe.ts'
import { percentile, sleep, type Figures, type Round } from './measure.ts'
import { withPage, withPlace, type Place } from './remote-control.ts'

const starts = 15

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
            await sleep(50)
          }
          times.push(drawn[0]!.at - (await page.evaluate<number>('window.clickedAt')))
        })
      }
      // The first one starts the process of the desktop.
      const [first = Number.NaN, ...later] = times
      const [p50Ms, p95Ms] = [percentile(later, 0.5), percentile(later, 0.95)]
      round.record('click to first picture', { p50Ms, p95Ms, firstMs: first })
    }),
  )
}

const heldDevices = 5
const heldMs = 15_000
/** Time until a page that was hidden or shown has its new rate. */
const settleMs = 4_000

/** Runs work with so many agents of this machine online, each a device. */
const withAgents = (
  url: string,
  account: Account,
  count: number,
  work: (ids: string[]) => Promise<void>,
  ids: string[] = [],
): Promise<void> =>
  count === 0 ? work(ids) : withRealAgent(url, account, (id) => withAgents(url, account, count - 1, work, [...ids, id]))

/** Opens an address of the page without loading the page anew, which would end its sessions. */
const goTo = (page: Page, path: string) =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`)

async function control(page: Page, deviceId: string, display: string) {
  await goTo(page, `/devices/${deviceId}/control`)
  const card = page
    .getByRole('listitem')
    .filter({ hasText: new RegExp(`Console - X11: ${display}(?!\\d)`), visible: true })
  await card.getByRole('button', { name: 'Control', exact: true }).click({ timeout: 60_000 })
  await page.getByText('In control').filter({ visible: true }).waitFor({ timeout: 60_000 })
}

/** Process of the page, from the browser. */
async function processOf(browser: Browser): Promise<{ pid: number; cpuSeconds: number }> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const renderers = processInfo.filter(({ type }) => type === 'renderer')
  const { id: pid, cpuTime: cpuSeconds } = renderers.toSorted((a, b) => b.cpuTime - a.cpuTime)[0]!
  return { pid, cpuSeconds }
}

/** Memory and processor time of page and server while the devices show motion. */
async function held({ server, browser, stage }: Place, drawn: Drawn[]): Promise<Figures> {
  const playUntil = async (end: number) => {
    for (let step = 1; performance.now() < end; step++) {
      stage.scenes.motion(step)
      await sleep(1000 / 60)
    }
  }
  await playUntil(performance.now() + settleMs)
  const [page, serverCpu, from] = [await processOf(browser), await server.cpuSeconds(), performance.now()]
  drawn.length = 0
  await playUntil(from + heldMs)
  const seconds = (performance.now() - from) / 1000
  const after = await processOf(browser)
  return {
    serverMb: await server.memoryMb(),
    cpuPercentOfServer: ((await server.cpuSeconds()) - serverCpu) * (100 / seconds),
    pageMb: await memoryMbOf(after.pid),
    cpuPercentOfPage: (after.cpuSeconds - page.cpuSeconds) * (100 / seconds),
    framesPerSecond: drawn.length / seconds,
  }
}

/** Price of sessions that go on while other pages are shown. */
export async function heldSessions(round: Round): Promise<void> {
  await withPlace((place) =>
    withAgents(place.server.url, place.account, heldDevices, async (ids) => {
      const context = await place.browser.newContext({ viewport: { width: 1600, height: 1000 } })
      await signInBrowser(context, place.server.url, demoAccount)
      const page = await context.newPage()
      const drawn: Drawn[] = []
      await probeWorkers(page, { decodesVideo: true }, (seen) => void drawn.push(...seen))
      await page.goto(new URL('/sessions', place.server.url).href)
      await page.getByRole('heading', { level: 1 }).waitFor()
      round.record('no session', await held(place, drawn))
      for (const [index, id] of ids.entries()) {
        await control(page, id, place.display)
        if (index === 0) {
          round.record('one session, shown', await held(place, drawn))
        }
      }
      round.record(`${heldDevices} sessions, one shown`, await held(place, drawn))
      await goTo(page, '/sessions')
      round.record(`${heldDevices} sessions, none shown`, await held(place, drawn))
      await context.close()
    }),
  )
}
