import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Rules } from '../../server/rights/rule-mirror.ts'
import { resourceName, spellingOf } from '../../shared/contract/fields.ts'
import { HostName } from '../../shared/dtos/network.ts'
import { email, newPassword } from '../../shared/dtos/user.ts'
import { archiveNameOf } from '../../shared/safe-file-names.ts'
import type { z } from 'zod'
import { listLimit } from '../../shared/contract/lenient.ts'
import { agentHub } from '../../shared/hubs/agent-hub.ts'
import { viewerHub } from '../../shared/hubs/viewer-hub.ts'
import { enroll } from '../support/agent.ts'
import { buildInstallerKey } from '../support/factories.ts'
import { addMember } from '../support/people.ts'
import { startTestServer, useTestServer, type Member, type TestServer } from '../support/server.ts'
import { declared } from '../surface/routes.ts'

/** Client inputs, by a name for failures. */
const inputs: [string, z.ZodType][] = [
  ...declared.flatMap(({ definition: { method, path, body, query } }) =>
    [body, query].flatMap((schema): [string, z.ZodType][] => (schema ? [[`${method} ${path}`, schema]] : [])),
  ),
  ...Object.entries({ ...agentHub.methods, ...viewerHub.methods }).flatMap(([name, method]) =>
    [...method.args, ...('upload' in method ? [method.upload] : [])].map((schema): [string, z.ZodType] => [
      name,
      schema,
    ]),
  ),
]

/** Paths of lists and objects without a size limit in a schema. */
function unlimitedLists(schema: z.core.$ZodType, path: string): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).flatMap(([name, member]) => unlimitedLists(member, `${path}.${name}`))
    case 'array': {
      const { maxItems } = listLimit(schema)
      return [...(maxItems === Infinity ? [path] : []), ...unlimitedLists(def.element, `${path}[]`)]
    }
    case 'pipe':
      return unlimitedLists(def.in._zod.def.type === 'transform' ? def.out : def.in, path)
    case 'record':
      return [path]
    default:
      return 'innerType' in def ? unlimitedLists(def.innerType, path) : []
  }
}

test('every list that a client may send has a limit', () => {
  expect(inputs.length).toBeGreaterThan(100)
  expect(inputs.flatMap(([name, schema]) => unlimitedLists(schema, name))).toEqual([])
})

describe('a search', () => {
  let server: TestServer
  let owner: Member

  beforeAll(async () => {
    server = await startTestServer()
    owner = await server.owner()
  })
  afterAll(() => server.stop())

  const times = <T>(count: number, item: T) => Array.from({ length: count }, () => item)
  const search = async (body: object) => {
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify({ pageSize: 1, ...body }) }
    const response = await owner.fetch('/api/v1/devices/search', init)
    const { title, errors = {} } = (await response.json()) as { title?: string; errors?: Record<string, string[]> }
    return response.status === 200 ? 200 : [response.status, title, Object.keys(errors)]
  }
  const refused = (member: string) => [400, 'One or more validation errors occurred.', [member]]

  test.each<[string, number, unknown]>([
    ['sortDefinitions', 8, { propertyName: 'Name' }],
    ['filterDefinitions', 50, { propertyName: 'Name', operator: 'contains', value: 'a' }],
    ['tagIds', 1000, crypto.randomUUID()],
    ['customerIds', 1000, crypto.randomUUID()],
    ['deviceGroupIds', 1000, crypto.randomUUID()],
  ])('takes %s up to %i and refuses one more', async (member, most, item) => {
    expect(await search({ [member]: times(most, item) })).toBe(200)
    expect(await search({ [member]: times(most + 1, item) })).toEqual(refused(member))
  })

  test('of ten thousand wrong items names the list alone', async () => {
    expect(await search({ tagIds: times(10_000, 1) })).toEqual([
      400,
      'One or more validation errors occurred.',
      expect.arrayContaining(['tagIds']),
    ])
  })

  test('for a text that is longer than any text of a device is refused', async () => {
    expect(await search({ searchText: 'x'.repeat(300) })).toBe(200)
    expect(await search({ searchText: 'x'.repeat(301) })).toEqual(refused('searchText'))
  })

  test('of a body with a text that no route accepts is refused before it is parsed', async () => {
    expect(await search({ searchText: 'x'.repeat(257 * 1024) })).toEqual(refused(''))
  })

  test('of a body with more values than a body may hold is refused before they are made', async () => {
    expect(await search({ unknown: times(16_000, []) })).toEqual(refused(''))
    expect(await search({ unknown: times(14_000, 0) })).toBe(200)
  })
})

test('a report with more people, addresses and drives than are stored is taken and cut, and its signature counts', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const agent = await enroll(owner)
  const connection = await agent.open(server.url)
  const numbered = (count: number, rest = '') => Array.from({ length: count }, (_, index) => `${index}${rest}`)
  const [drive] = agent.report().drives
  const report = agent.report({
    currentUsers: numbered(5_000),
    macAddresses: numbered(300, 'a'.repeat(60)),
    drives: numbered(300).map((name) => ({ ...drive!, name, volumeLabel: 'b'.repeat(600) })),
  })
  expect((await connection.UpdateDeviceSigned(agent.signed(agent.report()))).isSuccess).toBe(true)
  const { value, reason } = await connection.UpdateDeviceSigned(agent.signed(report))
  expect(reason).toBeNull()
  expect(value).toMatchObject({
    currentUsers: numbered(250),
    macAddresses: numbered(250, 'a'.repeat(60)).map((text) => text.slice(0, 50)),
    drives: numbered(250).map((name) => ({ name, volumeLabel: 'b'.repeat(500) })),
  })
})

test('the list of stopped installer keys reads the rules of a creator as often for 30 keys as for one', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { tenantId } = owner
  const { user: creator } = await addMember(server, tenantId, [])
  const addKeys = (count: number) =>
    server.write((models, transaction) =>
      models.InstallerKey.bulkCreate(
        Array.from({ length: count }, () => buildInstallerKey({ tenantId, creatorId: creator.id })),
        { transaction },
      ),
    )
  const readRules = vi.spyOn(Rules.prototype, 'of')
  onTestFinished(() => readRules.mockRestore())
  const list = async () => {
    readRules.mockClear()
    const { items } = await owner.applianceInstallerKeys.stopped({ tenantId })
    return { stopped: items.length, reads: readRules.mock.calls.filter(([id]) => id === creator.id).length }
  }
  await addKeys(1)
  await list()
  const { reads } = await list()
  await addKeys(29)
  expect(await list()).toEqual({ stopped: 30, reads })
})

test('a hub message with more values than a message may hold ends its connection', async () => {
  const server = await useTestServer()
  const agent = await enroll(await server.owner())
  const { UpdateDevice, closed } = await agent.open(server.url)
  const update = UpdateDevice(agent.report({ currentUsers: Array<string>(50_000).fill('') }))
  await expect(update).rejects.toThrow('closed')
  await closed
  await agent.connect(server.url)
})

describe('a text that is too long', () => {
  test.each<[string, z.ZodType, string]>([
    ['a password', newPassword, '-'.repeat(200)],
    ['an address', email, '@'.repeat(300)],
    ['the name of a customer', resourceName, '\n'.repeat(150) + 'x\n'.repeat(100)],
    ['a host name', HostName, '_'.repeat(300)],
  ])('as %s is rejected for its length alone, without matching a pattern', (_, schema, text) => {
    const { error } = schema.safeParse(text)
    expect(error?.issues.map(({ code }) => code)).toEqual(['too_big'])
  })

  test('as a name of an enum or of an archive is not looked at', () => {
    expect(spellingOf('A'.repeat(101))).toBeUndefined()
    expect(archiveNameOf('a'.repeat(201))).toBeUndefined()
    expect(archiveNameOf('a'.repeat(196))).toBe(`${'a'.repeat(196)}.zip`)
  })
})
