import { randomUUID } from 'node:crypto'
import { chromium, type Page } from '@playwright/test'
import { createApp } from '../../server/app.ts'
import { loadConfig } from '../../server/settings/config.ts'
import { openDatabase } from '../../server/database/database.ts'
import { createLog } from '../../server/ground/log.ts'
import { migrations } from '../../server/database/migrations/index.ts'
import { bindModels } from '../../server/call/models.ts'
import type { PermissionName } from '../../shared/access.ts'
import { pageKeyHeader } from '../../shared/page-key.ts'
import { chromiumLaunch } from '../chromium.mjs'
import { demoAccount, openAccount } from '../simulate/fleet.ts'
import { signInBrowser } from '../simulate/page-session.ts'
import { simulatedReport } from '../simulate/facts.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { percentile, rounded } from './measure.ts'

const sizes = { devices: 10_000, people: 1_000, groups: 200, customers: 500, notes: 20_000 }
const runs = 30
const pageRuns = 5
const held: PermissionName[] = ['device.read', 'device.remote-control.connect', 'device.terminal.use']
const words =
  'toner printer behind door kitchen server room cable broken replaced warranty contact monday screen'.split(' ')

const log = createLog({ default: 'None' })
const many = <Row>(count: number, row: (index: number) => Row) =>
  Array.from({ length: count }, (_, index) => row(index))

/** Stores a large organization while the server is stopped. */
async function fill(directory: string, tenantId: string) {
  const database = await openDatabase({ directory, migrations, log, appVersion: '0' })
  const { Customer, Device, DeviceNote, PermissionAssignment, User, UserGroup } = bindModels(database.sequelize)
  const first = (await User.findOne({ rejectOnEmpty: true })).get({ plain: true })
  const customers = many(sizes.customers, (index) => ({
    id: randomUUID(),
    tenantId,
    name: `Customer ${index} of the north`,
    description: null,
    notes: null,
    createdAt: index,
  }))
  const devices = many(sizes.devices, (index) => ({
    ...simulatedReport(index),
    id: randomUUID(),
    tenantId,
    customerId: customers[index % customers.length]!.id,
    createdAt: index,
    lastSeen: index,
  }))
  const people = many(sizes.people, (index) => {
    const userName = `person-${index}-of-the-night-shift@example.org`
    return { ...first, id: randomUUID(), userName, email: userName, securityStamp: randomUUID(), createdAt: index }
  })
  const groups = many(sizes.groups, (index) => ({
    id: randomUUID(),
    tenantId,
    name: `Group ${index}`,
    description: null,
    createdAt: index,
  }))
  const assignments = people.flatMap(({ id: principalId }, index) =>
    held.map((permissionName) => ({
      id: randomUUID(),
      owningTenantId: tenantId,
      principalKind: 'User' as const,
      principalId,
      permissionName,
      effect: 'Allow' as const,
      scopeKind: 'CustomerTenant' as const,
      scopeId: customers[index % customers.length]!.id,
      notes: null,
      isEnabled: true,
      createdAt: index,
      madeWith: null,
    })),
  )
  const notes = many(sizes.notes, (index) => {
    const text = `${many(20, (n) => words[(index * 7 + n * n) % words.length]).join(' ')} n${index}`
    return {
      id: randomUUID(),
      deviceId: devices[index % devices.length]!.id,
      tenantId,
      text,
      searchText: text,
      author: `User ${first.id}`,
      authorName: first.userName,
      createdAt: index,
      updatedAt: index,
    }
  })
  await database.write(async (transaction) => {
    await Customer.bulkCreate(customers, { transaction })
    await User.bulkCreate(people, { transaction })
    await UserGroup.bulkCreate(groups, { transaction })
    await Device.bulkCreate(devices as never, { transaction })
    await PermissionAssignment.bulkCreate(assignments, { transaction })
    await DeviceNote.bulkCreate(notes, { transaction })
  })
  await database.close()
}

/** Milliseconds of requests that search, as the page sends them. */
async function searches(page: Page, tenantId: string) {
  const find = (q: string) => ({ path: '/api/appliance/v1/devices/find', body: { query: q, page: 0, pageSize: 50 } })
  const cases: Record<string, { path: string; body?: object }> = {
    people: { path: `/api/appliance/v1/people?tenantId=${tenantId}&text=person-99` },
    groups: { path: `/api/v1/user-groups?tenantId=${tenantId}` },
    customers: { path: `/api/v1/customers?tenantId=${tenantId}` },
    rights: { path: `/api/appliance/v1/rights/grants?tenantId=${tenantId}&text=person-99` },
    'names of principals': { path: `/api/appliance/v1/rights/find?tenantId=${tenantId}&kind=Principal&text=night` },
    'devices by text': find('srv'),
    'devices by customer': find('customer:"Customer 7 of the north"'),
    'devices by a rare note': find('note:n1999'),
    'devices by a frequent note': find('note:warranty'),
  }
  const figures: Record<string, object> = {}
  for (const [name, { path, body }] of Object.entries(cases)) {
    const samples = await page.evaluate(
      async ([url, text, count, pageKey]) => {
        const headers = {
          'content-type': 'application/json',
          [pageKey]: localStorage.getItem('farhand.page-key') ?? '',
        }
        const init = text === null ? { headers } : { method: 'POST', headers, body: text }
        const times: number[] = []
        for (let run = 0; run < count; run++) {
          const started = performance.now()
          const answer = await fetch(url, init)
          await answer.arrayBuffer()
          if (!answer.ok) {
            throw new Error(`${url}: ${answer.status}`)
          }
          times.push(performance.now() - started)
        }
        return times
      },
      [path, body === undefined ? null : JSON.stringify(body), runs, pageKeyHeader] as const,
    )
    figures[name] = { p50Ms: rounded(percentile(samples, 0.5)), p95Ms: rounded(percentile(samples, 0.95)) }
  }
  return figures
}

/** Script of the page: clicks an entry of the navigation, and resolves in the frame that paints the content. */
const clickAndWait = (name: string, selector: string) => `new Promise((resolve) => {
  const started = performance.now()
  document.querySelector('nav a[aria-label=${JSON.stringify(name)}]').click()
  const look = () =>
    requestAnimationFrame(() =>
      location.pathname !== '/sessions' && document.querySelector(${JSON.stringify(selector)})
        ? resolve(performance.now() - started)
        : look(),
    )
  look()
})`

/** Milliseconds from the click in the navigation until the first row or field of each page is painted. */
async function pages(page: Page, url: string) {
  const targets: Record<string, string> = {
    Devices: '[role=grid] [data-index]',
    People: '[role=grid] [data-index]',
    'Groups of people': '[role=grid] [data-index]',
    'Roles and rights': '[role=grid] [data-index]',
    Organize: '[role=grid] [data-index]',
    Settings: 'main input',
    'Service accounts': 'main h2',
    Server: 'main section',
  }
  const figures: Record<string, object> = {}
  for (const [name, selector] of Object.entries(targets)) {
    const samples: number[] = []
    for (let run = 0; run < pageRuns; run++) {
      await page.goto(`${url}/sessions`)
      await page.getByRole('main').waitFor()
      const link = page.getByRole('navigation').first().getByRole('link', { name, exact: true })
      await link.waitFor()
      // A person reads before the click; meanwhile the page loads the code of other pages.
      await page.waitForLoadState('networkidle')
      samples.push(await page.evaluate<number>(clickAndWait(name, selector)))
    }
    figures[name] = { medianMs: rounded(percentile(samples, 0.5)), worstMs: rounded(Math.max(...samples)) }
  }
  return figures
}

/** Measures searches and the first content of the administration pages in a large organization. */
export async function administration() {
  await using folder = await temporaryFolder()
  const env = { Service_Urls: 'http://127.0.0.1:0', Service_DataDirectory: folder.path, Service_Environment: 'Testing' }
  const start = async () => {
    const server = createApp(loadConfig({ env }), { log, secretStore: 'file' })
    return { server, url: (await server.start()).urls[0]! }
  }
  const empty = await start()
  const { tenantId } = await openAccount(empty.url)
  await empty.server.stop()
  await fill(folder.path, tenantId)
  const { server, url } = await start()
  const browser = await chromium.launch(chromiumLaunch())
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    await signInBrowser(context, url, demoAccount)
    const page = await context.newPage()
    await page.goto(`${url}/devices`)
    await page.locator('[role=grid] [data-index]').first().waitFor()
    return { sizes, searches: await searches(page, tenantId), pages: await pages(page, url) }
  } finally {
    await browser.close()
    await server.stop()
  }
}
