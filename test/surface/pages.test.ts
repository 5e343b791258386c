import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { api } from '../../shared/api/index.ts'
import { sourceFiles } from './source-files.ts'

interface PublishedRoute {
  surface: string
  method: string
  path: string
}

const published = JSON.parse(
  readFileSync(new URL('../fixtures/routes.json', import.meta.url), 'utf8'),
) as PublishedRoute[]

/** Operations whose work a page does by another call, which has more of what the page shows. */
const sameWork: Readonly<Record<string, string>> = {
  'DELETE /api/v1/devices/{deviceId}': 'api.devices.deleteMany',
  'GET /api/v1/customers/{customerId}': 'api.customers.list',
  'GET /api/v1/deployment-options': 'api.deployments.create',
  'GET /api/v1/devices': 'api.deviceSearch.find',
  'GET /api/v1/effective-permissions/{principalId}': 'api.rights.check',
  'GET /api/v1/permission-assignments/presets': 'api.rights.grant',
  'GET /api/v1/personal-access-tokens': 'api.account.listTokens',
  'GET /api/v1/tags/{tagId}': 'api.organization.tags',
  'GET /api/v1/tenant-settings/{settingName}': 'api.tenantSettings.getAll',
  'GET /api/v1/users': 'api.people.list',
  'POST /api/v1/devices/search': 'api.deviceSearch.find',
  'POST /api/v1/invites': 'api.people.invite',
  'POST /api/v1/personal-access-tokens': 'api.account.createToken',
  'POST /api/v1/users': 'api.people.create',
}

/** Operations that no page needs, each with its reason. */
const exceptions: Readonly<Record<string, string>> = {
  'POST /api/v1/deployment-options/tag-capability': 'The server checks the tags of an installer key when it is made.',
  'POST /api/v1/permission-assignments/replace': 'The page changes single assignments, so that each can be undone.',
  'PUT /api/v1/user-preferences': 'The page stores each preference when it changes.',
}

/** Sources of the page as one text; a chain of calls stands on one line. */
const sources = sourceFiles()
  .filter(({ path }) => path.startsWith('renderer/'))
  .map(({ text }) => text.replaceAll(/\s*\n\s*\./g, '.'))
  .join('\n')

/** Whether a source calls an operation through a client, or names its declaration, as streams and forms do. */
const isCalled = (group: string, operation: string) =>
  [
    `api\\.${group}\\.${operation}\\b`,
    `${group}\\.routes\\.${operation}\\b`,
    `\\{[^{}]*\\b${operation}\\b[^{}]*\\} = ${group}\\.routes`,
  ].some((pattern) => new RegExp(pattern).test(sources))

const shapeOf = (method: string, path: string) => `${method} ${path.replaceAll(/\{\w+\}|:\w+/g, '*')}`

const called = new Map(
  Object.entries(api.v1).flatMap(([group, { routes }]) =>
    Object.entries(routes).map(([operation, { method, path }]) => [shapeOf(method, path), isCalled(group, operation)]),
  ),
)

const operations = published.filter(({ surface }) => surface === 'v1')

test('every operation of the interface is reached from a page, or stands here with a reason', () => {
  const missing = operations
    .filter(({ method, path }) => called.get(shapeOf(method, path)) !== true)
    .map(({ method, path }) => `${method} ${path}`)
  expect(missing.toSorted()).toEqual([...Object.keys(sameWork), ...Object.keys(exceptions)].toSorted())
})

test.each(Object.entries(sameWork))('instead of %s, a page calls %s', (_operation, call) => {
  expect(sources).toContain(`${call}(`)
})

test('few operations have no page', () => {
  expect(operations).toHaveLength(130)
  expect(Object.keys(exceptions).length).toBeLessThan(5)
})

test('every part of the server page that a source leads to exists', () => {
  const page = sourceFiles().find(({ path }) => path === 'renderer/pages/server/server-page.tsx')!
  const parts = [...page.text.matchAll(/^ {2}(\w+): (?:settingsPart\(|\{)/gm)].map(([, name]) => name)
  const named = [...sources.matchAll(/['"`]\/server\/(\w+)/g)].map(([, name]) => name)
  expect(parts).toContain('updates')
  expect(named).not.toEqual([])
  expect(named.filter((name) => !parts.includes(name))).toEqual([])
})
