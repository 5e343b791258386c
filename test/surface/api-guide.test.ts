/** Runs the guide for integrators: its configuration starts a server, and its shell blocks run against it. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { devices } from '../../shared/api/devices.ts'
import { eventData } from '../../shared/dtos/event.ts'
import { enroll } from '../support/agent.ts'
import { buildDevice } from '../support/factories.ts'
import { useTestServer } from '../support/server.ts'

const guide = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, text]) => text!)

const settings = Object.fromEntries(
  blocks('ini')
    .join('')
    .trim()
    .split('\n')
    .map((line) => line.replace(/^Service_/, '').split('=') as [string, string]),
)

test('every block of docs/api.md works', { timeout: 60_000 }, async () => {
  const server = await useTestServer({ settings })
  const owner = await server.owner()
  const { tenantId } = owner
  const deviceId = randomUUID()
  await server.write((models, transaction) =>
    models.Device.create(buildDevice({ id: deviceId, tenantId, name: 'reception-1' }), { transaction }),
  )
  const script = blocks('sh')
  expect(script.length).toBeGreaterThan(7)

  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script.join('\n')], {
    env: { ...process.env, FARHAND_URL: server.url },
  })

  const lines = stdout.trim().split('\n')
  expect(lines[0]).toMatch(/^reception-1: .+, online: false$/)
  expect(lines.slice(1, 4)).toEqual([
    expect.stringMatching(/^Installer key [0-9a-f-]{36}, valid until 2/),
    expect.stringMatching(`^Roll-out [0-9a-f-]{36} to ${server.url}: `),
    expect.stringMatching(`^${server.url}/device-access\\?deviceId=${deviceId}&logonToken=`),
  ])
  expect(lines.slice(4, 7)).toEqual([
    'device.read on Tenant',
    'The report sees 1 device(s)',
    expect.stringMatching(/^May it tag\? false: /),
  ])
  expect(lines.at(-1)).toBe('nightly report until 2099-12-31T00:00:00.000Z: device.read')
  expect(lines.at(-2)).toBe('reception-1 skipped: The device is offline.')
  expect(lines.slice(7, -2).every((line) => / (permission-assignment|service-account)/.test(line))).toBe(true)
  expect(lines.length).toBeGreaterThan(9)
  const { items } = await owner.tenantServiceAccounts.list({ params: { tenantId } })
  const { credentials } = items.find(({ name }) => name === 'nightly report')!
  expect(Object.fromEntries(credentials.map((one) => [one.name, one.revokedAt === null]))).toEqual({
    'first key': false,
    'second key': true,
  })

  const [device] = await owner.devices.list({})
  const tags = await owner.tags.list({ tenantId, query: {} })
  expect(tags.items.filter(({ name }) => name === 'front-desk').map(({ id }) => id)).toEqual(device!.tagIds)
  const keys = await owner.installerKeys.list({ tenantId })
  const byUses = keys.items.toSorted((a, b) => Number(a.allowedUses) - Number(b.allowedUses))
  expect(byUses).toMatchObject([
    { friendlyName: 'Roll-out, week 12', allowedUses: 5, keyType: 'UsageBased' },
    { friendlyName: 'Branch office', allowedUses: 40, keyType: 'UsageBased' },
  ])
  const placements = await owner.applianceDeployments.placements({ tenantId })
  expect(placements.items).toMatchObject([{ tagIds: device!.tagIds }])
})

test('the examples for Prometheus and Home Assistant in docs/api.md name metrics and members that exist', async () => {
  const server = await useTestServer({ settings: { Metrics__AllowLocal: 'true' } })
  const owner = await server.owner()
  const { id: deviceId } = await enroll(owner)
  const examples = blocks('yaml').join('\n')
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  const named = [...examples.matchAll(/(?<=[({])farhand_\w+(="\w+")?/g)].map(([name]) => name)
  expect(named).toHaveLength(3)
  expect(named.filter((name) => !metrics.includes(name))).toEqual([])

  const [, path] = /resource: https:\/\/[^/]+(\/.+)[\da-f-]{36}$/m.exec(examples)!
  expect(`${path}:deviceId`).toBe(devices.routes.get.path)
  const device = await owner.devices.get({ params: { deviceId } })
  const members = [...examples.matchAll(/value_json\.(\w+)/g)].map(([, member]) => member!)
  expect(members).toEqual(['isOnline'])
  expect(Object.keys(device)).toEqual(expect.arrayContaining(members))
  const ofEvent = [...examples.matchAll(/trigger\.json\.data\.(\w+)/g)].map(([, member]) => member!)
  expect(Object.keys(eventData.get('device.offline')!.shape)).toEqual(expect.arrayContaining(ofEvent))
})

test('every table row and link of docs/api.md refers to something that exists', () => {
  const links = [...guide.matchAll(/\]\((\.\.\/[^)]+)\)/g)].map(([, link]) => link!)
  expect(links.map((link) => readFileSync(new URL(link, new URL('../../docs/', import.meta.url))).length > 0)).toEqual(
    links.map(() => true),
  )
})
