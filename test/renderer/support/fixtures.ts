import '../../support/quick-passwords.ts'
import {
  expect,
  test as base,
  type BrowserContext,
  type ConsoleMessage,
  type Locator,
  type Page,
} from '@playwright/test'
import { inParallel } from '../../../shared/in-parallel.ts'
import { SimulatedAgent } from '../../../tools/simulate/agent.ts'
import { signInBrowser } from '../../../tools/simulate/page-session.ts'
import { startRealDevice, type RealDevice } from '../../support/real-device.ts'
import { account, startTestServer, type Member, type TestServer } from '../../support/server.ts'

export interface Fixtures {
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

/** Server, its first account, and this machine as a device with the real agent. */
export interface Room {
  server: TestServer
  owner: Member
  device: RealDevice
}

/** Server and a page that is signed in as its first account. */
export interface Stage {
  server: TestServer
  owner: Member
  page: Page
}

// Room and stage are declared for all tests, though few take them: Playwright starts another process for tests with other fixtures.
export const test = base.extend<Fixtures, { room: Room; stage: Stage }>({
  room: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const server = await startTestServer()
      const owner = await server.owner()
      const device = await startRealDevice(owner)
      await use({ server, owner, device })
      await device.stop()
      await server.stop()
    },
    { scope: 'worker' },
  ],
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
  page: async ({ page }, use) => {
    const { complaints } = watchConsole(page)
    await use(page)
    expect(complaints).toEqual([])
  },
  // oxlint-disable-next-line no-empty-pattern
  server: async ({}, use) => {
    const server = await startTestServer()
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
