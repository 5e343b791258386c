import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import { beforeAll, expect, test } from 'vitest'
import { permissions } from '../../shared/access.ts'
import type { RouteDefinition } from '../../shared/contract/route.ts'
import { descriptions, type Models } from '../../server/call/models.ts'
import { enroll } from '../support/agent.ts'
import { isNight } from '../support/night.ts'
import { addMember } from '../support/people.ts'
import { serverForFile, type Member } from '../support/server.ts'
import { fillTenant } from '../support/tenant-data.ts'
import { steady, until } from '../support/until.ts'
import { requestFor } from '../surface/requests.ts'
import { declared } from '../surface/routes.ts'

const server = serverForFile()
let owner: Member
/** Ids of things in the tenant, by the names of parameters and members of bodies. */
let ids: Record<string, string>

beforeAll(async () => {
  owner = await server.owner()
  const made = await fillTenant(server, owner, 'waits')
  const names = [
    'tenantId',
    'deviceId',
    'assignmentId',
    'customerId',
    'deviceGroupId',
    'userGroupId',
    'tagId',
    'userId',
  ]
  ids = Object.fromEntries(names.map((name, index) => [name, made[index]!]))
  // The server makes the first rules of a new organization beside what is asked of it.
  await until(async () => (await owner.applianceAlerts.listRules({ tenantId: owner.tenantId })).items.length > 0)
})

/** Every permission of the server and of the tenant. */
const everything = [...permissions].map(([permissionName, scopes]) =>
  scopes.includes('Tenant') ? permissionName : { permissionName, scopeKind: 'Server' as const, scopeId: null },
)

const writing = declared
  .map(({ definition }) => definition)
  .filter(({ method, access }) => method !== 'GET' && access !== 'anonymous')
  // They record that something has failed, whoever asked for it.
  .filter(({ path }) => !/\/backup\/(copies|rehearsals)$|\/updates\/check$/.test(path))

/** Requests of one account that run at once. */
const largestGroup = 30

/** The audit log, and keys that the server makes for itself when they are needed first. */
const ofServer = /^(audit_.*|tls_identity|release_key)$/

/** Rows of all tables but those of the server, without those that the endings change. */
const allRows = (members: readonly Member[]) =>
  server.reading(async (rows) => {
    const all: string[] = []
    for (const { name } of descriptions.filter((table) => !ofServer.test(table.name))) {
      const ofEnding = /^(users|sessions|permission_assignments)$/.test(name) ? members.map(({ user }) => user.id) : []
      const found = (await rows<object>(`SELECT * FROM ${name}`)).map((row) => `${name} ${JSON.stringify(row)}`)
      all.push(...found.filter((row) => !ofEnding.some((id) => row.includes(id))))
    }
    return all.toSorted()
  })

type End = (member: Member, models: Models, transaction: Transaction) => Promise<unknown>

const endings: [string, (definition: RouteDefinition) => boolean, End][] = [
  [
    'its account was disabled',
    () => true,
    async ({ user: { id } }, models, transaction) => {
      await models.User.update({ disabledAt: 1 }, { where: { id }, transaction })
      await models.Session.destroy({ where: { userId: id }, transaction })
    },
  ],
  [
    'its session was ended',
    () => true,
    ({ user: { id } }, models, transaction) => models.Session.destroy({ where: { userId: id }, transaction }),
  ],
  [
    'its right was taken away',
    ({ access }) => typeof access === 'object' && !('scope' in access),
    ({ user: { id } }, models, transaction) =>
      models.PermissionAssignment.destroy({ where: { principalId: id }, transaction }),
  ],
]

test.each(endings)('T09: a request that waits to write is rejected when %s', async (_, isConcerned, end) => {
  const concerned = writing.filter(isConcerned).filter((_, index) => isNight || index % endings.length === 0)
  const members: Member[] = []
  while (members.length * largestGroup < concerned.length) {
    members.push(await addMember(server, owner.tenantId, everything))
  }
  const before = await allRows(members)
  const answers = new Map<string, number>()
  const ask = async (definition: RouteDefinition, member: Member) => {
    const { path, init } = requestFor(definition, { tenantId: owner.tenantId, ids: { ...ids, name: randomUUID() } })
    const { status } = await member.fetch(path, init as RequestInit)
    answers.set(`${definition.method} ${definition.path}`, status)
  }
  const { requests, early } = await server.write(async (models, transaction) => {
    const requests = concerned.map((definition, index) => ask(definition, members[Math.floor(index / largestGroup)]!))
    await steady(() => answers.size)
    await Promise.all(members.map((member) => end(member, models, transaction)))
    return { requests, early: new Set(answers.keys()) }
  })
  await Promise.all(requests)
  expect(await allRows(members)).toEqual(before)
  const late = [...answers].filter(([name]) => !early.has(name))
  const refused = late.filter(([, status]) => status === 401 || status === 403)
  // The others write nothing, and take long.
  expect(refused.length).toBeGreaterThan(late.length * 0.8)
  expect(refused.length).toBeGreaterThan(concerned.length / 4)
})

test('T09: a request that waits to delete devices leaves those for which its right was taken away', async () => {
  const [kept, deleted] = [(await enroll(owner)).id, (await enroll(owner)).id]
  const member = await addMember(
    server,
    owner.tenantId,
    [kept, deleted].flatMap((scopeId) =>
      (['device.read', 'device.delete'] as const).map((permissionName) => ({
        permissionName,
        scopeKind: 'Device' as const,
        scopeId,
      })),
    ),
  )
  const { request } = await server.write(async (models, transaction) => {
    let isAnswered = false
    const request = member.devices
      .deleteMany({ body: { deviceIds: [kept, deleted] } })
      .finally(() => (isAnswered = true))
    await steady(() => isAnswered)
    await models.PermissionAssignment.destroy({ where: { scopeId: kept }, transaction })
    return { request }
  })
  expect(await request).toEqual({ successIds: [deleted], failureIds: [kept] })
})
