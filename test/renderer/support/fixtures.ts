import '../../support/quick-passwords.ts'
import { test as base, type BrowserContext, type ConsoleMessage, type Locator, type Page } from '@playwright/test'
import { inParallel } from '../../../shared/in-parallel.ts'
import { freePort } from '../../../tools/simulate/free-port.ts'
import { SimulatedAgent } from '../../../tools/simulate/agent.ts'
import { signInBrowser, signOutBrowser } from '../../../tools/simulate/page-session.ts'
import { isNight } from '../../support/night.ts'
import { startRealDevice, type RealDevice } from '../../support/real-device.ts'
import { expect } from './expect.ts'
import { account, startTestServer, type Member, type TestServer, type TestServerOptions } from '../../support/server.ts'

export interface Fixtures {
  /** Options of `server`. */
  serverOptions: TestServerOptions
  /** Real server with the built interface. */
  server: TestServer
  /** First user; `page` is signed in as this user. */
  owner: Member
  /** Registers simulated devices; they are offline until they `connect`. */
  enroll: (count: number) => Promise<SimulatedAgent[]>
}

/** Signs the browser context in as a member, who shares that session from then on. */
export async function usePage(context: BrowserContext, member: Member) {
  const { email } = member.user
  Object.assign(member, await signInBrowser(context, member.url, { email, password: account.password }))
}

/** Collects errors from the console of a page. */
export const watchConsole = (page: Page) => {
  const complaints: string[] = []
  const onError = (error: Error) => void complaints.push(error.message)
  const onMessage = (message: ConsoleMessage) => {
    // Browsers log 4xx responses, and lost connections to stopped servers.
    if (message.type() === 'error' && !/Failed to load resource|WebSocket connection/.test(message.text())) {
      complaints.push(message.text())
    }
  }
  page.on('pageerror', onError).on('console', onMessage)
  return { complaints, stop: () => void page.off('pageerror', onError).off('console', onMessage) }
}

/** Server, its first account, and a page that is signed in as that. */
export interface Stage {
  server: TestServer
  owner: Member
  page: Page
}

/** Address for one server after the other, and their page. */
export interface Place {
  address: string
  page: Page
}

/**
 * Passes a page to a test, and ends afterwards what the test left open. The next test gets the same page: a new one would
 * compile all code again, which is a third of a short test.
 */
export async function sharePage(page: Page, use: (page: Page) => Promise<void>) {
  const context = page.context()
  const size = page.viewportSize()!
  const { complaints, stop } = watchConsole(page)
  await use(page)
  stop()
  if (page.url().startsWith('http')) {
    // Cleared after the app is left: the app stores running uploads while it is left. The server may have stopped.
    await page.route('**/no-app', (route) => route.fulfill({ body: '' }))
    await page.goto(new URL('/no-app', page.url()).href)
    await page.evaluate(() => [localStorage, sessionStorage].forEach((storage) => storage.clear()))
  }
  await page.goto('about:blank')
  await page.unrouteAll()
  await context.unrouteAll()
  await context.clearPermissions()
  await page.setViewportSize(size)
  await page.emulateMedia({ colorScheme: null, reducedMotion: isNight ? 'no-preference' : 'reduce' })
  expect(complaints).toEqual([])
}

/** Passes the context of a shared page to a test, and closes afterwards the other pages that the test opened. */
export async function shareContext(page: Page, use: (context: BrowserContext) => Promise<void>) {
  const context = page.context()
  await use(context)
  const others = context.pages().filter((other) => other !== page)
  await Promise.all(others.map((other) => other.close()))
}

interface WorkerFixtures {
  stage: Stage
  /** This machine with the real agent, at the server of the stage. */
  room: RealDevice
  place: Place
}

/** Declares what tests of a process share, for all tests: Playwright starts another process for tests without. */
export const sharingTest = base.extend<object, WorkerFixtures>({
  stage: [
    async ({ browser }, use, { project }) => {
      const server = await startTestServer()
      const owner = await server.owner()
      const context = await browser.newContext(project.use.contextOptions)
      await usePage(context, owner)
      await use({ server, owner, page: await context.newPage() })
      await context.close()
      await server.stop()
    },
    { scope: 'worker' },
  ],
  room: [
    async ({ stage }, use) => {
      const device = await startRealDevice(stage.owner)
      await use(device)
      await device.stop()
    },
    { scope: 'worker' },
  ],
  place: [
    async ({ browser }, use, { project }) => {
      const context = await browser.newContext(project.use.contextOptions)
      await use({ address: `http://127.0.0.1:${await freePort()}`, page: await context.newPage() })
      await context.close()
    },
    { scope: 'worker' },
  ],
})

/** A page and a server for each test. */
export const freshPageTest = sharingTest.extend<Fixtures>({
  page: async ({ page }, use) => {
    const { complaints } = watchConsole(page)
    await use(page)
    expect(complaints).toEqual([])
  },
  serverOptions: [{}, { option: true }],
  server: async ({ serverOptions }, use) => {
    const server = await startTestServer(serverOptions)
    await use(server)
    await server.stop()
  },
  owner: async ({ server, context }, use) => {
    const owner = await server.owner()
    await usePage(context, owner)
    await use(owner)
  },
  enroll: async ({ server, owner }, use) => {
    const everyone: SimulatedAgent[] = []
    await use(async (count) => {
      const key = await owner.installerKeys.create({ body: { tenantId: owner.tenantId, keyType: 'Persistent' } })
      const agents = Array.from({ length: count }, (_, index) => new SimulatedAgent(index, owner.tenantId))
      await inParallel(agents, 16, (agent) => agent.register(server.url, key))
      everyone.push(...agents)
      return agents
    })
    everyone.forEach((agent) => agent.close())
  },
})

/**
 * A server for each test, at the same address as those of the tests before it, so that their page knows its code. Tests
 * that choose how their page is made or change the browser below it take `freshPageTest`.
 */
export const test = freshPageTest.extend({
  server: async ({ place, serverOptions }, use) => {
    const server = await startTestServer({ listenOn: place.address, ...serverOptions })
    await use(server)
    await server.stop()
  },
  context: async ({ place }, use) => {
    await shareContext(place.page, use)
    await signOutBrowser(place.page.context())
  },
  page: ({ place, context: _ }, use) => sharePage(place.page, use),
})

export { expect }
export { expectAccessible } from './accessible.ts'

/** Opens a path without loading the page again, as a link on the page does. */
export const follow = (page: Page, path: string) =>
  page.evaluate((to) => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)

/** Expects that a long list renders some rows, and fewer than `limit`. */
export async function expectFew(rows: Locator, limit: number) {
  await expect(rows.nth(4)).toBeVisible()
  expect(await rows.count()).toBeLessThan(limit)
}
