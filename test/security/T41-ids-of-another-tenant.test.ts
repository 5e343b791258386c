import { randomUUID } from 'node:crypto'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { descriptions } from '../../server/call/models.ts'
import type { RouteDefinition } from '../../shared/contract/route.ts'
import { serverForFile, type Member } from '../support/server.ts'
import { fillTenant } from '../support/tenant-data.ts'
import { isNight } from '../support/night.ts'
import { until } from '../support/until.ts'
import { declared } from '../surface/routes.ts'
import { requestFor } from '../surface/requests.ts'

/** Part of every name and text of the other tenant. */
const word = 'zanzibar'

const server = serverForFile({ settings: { AppOptions__EnablePublicRegistration: 'true' } })

/** Holds every permission of the first tenant, and of the server. */
let victim: Member
/** Holds every permission of a tenant of its own, and none on the server. */
let stranger: Member
/** Ids of the victim's tenant, by the names of parameters and of members of bodies and queries. */
let ids: Record<string, unknown>
let before: string[]

const appliance = declared.filter(({ surface }) => surface === 'appliance').map(({ definition }) => definition)
const title = ({ method, path }: RouteDefinition) => `${method} ${path}`
/** Routes whose path or input names a thing. */
const naming = appliance.filter((definition) =>
  namesIn(definition).some((name) => /^ids$|Ids?$|^(principals|scopes|placement)$/.test(name)),
)

function namesIn({ path, query, body }: RouteDefinition): string[] {
  const shape = (schema: unknown) => Object.keys((schema as { shape?: object } | undefined)?.shape ?? {})
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!).concat(shape(query), shape(body))
}

/** Rows that name the victim's things; without times that reading changes, and the audit log. */
function rowsOfVictim(): Promise<string[]> {
  const tables = descriptions.filter(({ name }) => !name.startsWith('audit_'))
  const parts = [word, victim.tenantId, ...Object.values(ids).flat().map(String)]
  return server.reading(async (rows) => {
    const found: string[] = []
    for (const { name } of tables) {
      for (const row of await rows<object>(`SELECT * FROM ${name}`)) {
        const text = `${name} ${JSON.stringify({ ...row, lastSeenAt: null, lastLogin: null })}`
        // A batch stores the devices that its author named, which are skipped without a name.
        if (parts.some((part) => text.includes(part)) && !/^batch_results .*"deviceName":""/.test(text)) {
          found.push(text)
        }
      }
    }
    return found.toSorted()
  })
}

beforeAll(async () => {
  victim = await server.owner()
  const [tenantId, deviceId, assignmentId, customerId, deviceGroupId, userGroupId, tagId, userId] = (await fillTenant(
    server,
    victim,
    word,
  )) as [string, string, string, string, string, string, string, string]
  victim = await server.signIn()
  const view = { name: word, query: word, sort: 'Name', isShared: true }
  const { id: viewId } = await victim.applianceDeviceViews.create({ body: view })
  const params = { deviceId }
  const { id: noteId } = await victim.applianceDeviceNotes.add({ params, body: { text: word } })
  const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
  await victim.fetch(`/api/appliance/v1/devices/${deviceId}/notes/${noteId}/picture`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array(await picture.png().toBuffer()),
  })
  await victim.applianceDeviceViews.star({ params })
  await victim.logonTokens.createForExternalUser({
    body: {
      tenantId,
      deviceId,
      permissions: ['device.read'],
      userCorrelationId: word,
      userDisplayName: word,
    },
  })
  const { items: shares } = await victim.applianceShares.list({ query: {} })
  const batch = await victim.applianceBatches.start({
    body: { kind: 'run-command', command: word, deviceIds: [deviceId] },
  })
  await until(async () => {
    const details = await victim.applianceBatches.get({ params: { batchId: batch.id } })
    return details.batch.finishedAt !== null
  })
  const { items: signIns } = await victim.applianceAccount.listSignIns({})
  stranger = await server.owner({ email: 'mallory@example.org', organizationName: 'Mallory and Sons' })
  const { id: intoTagId } = await stranger.tags.create({ tenantId: stranger.tenantId, body: { name: 'mine' } })
  ids = {
    deviceId,
    deviceIds: [deviceId],
    assignmentIds: [assignmentId],
    customerId,
    parentId: customerId,
    deviceGroupId,
    userGroupId,
    groupId: userGroupId,
    tagId,
    intoTagId,
    userId,
    principalId: userId,
    principals: [{ principalKind: 'User', principalId: userId }],
    scopes: [{ scopeKind: 'Device', scopeId: deviceId }],
    scopeId: deviceId,
    placement: { customerId, deviceGroupIds: [deviceGroupId], tagIds: [tagId] },
    viewId,
    noteId,
    shareId: shares[0]!.id,
    batchId: batch.id,
    signInId: signIns[0]!.id,
    ids: [deviceId, customerId, deviceGroupId, userGroupId, tagId, userId],
    noticeIds: [randomUUID()],
  }
  // The server makes the first rules of a new organization beside what is asked of it.
  await until(async () => (await victim.applianceAlerts.listRules({ tenantId })).items.length > 0)
  before = await rowsOfVictim()
})

/** Sends a request that names things of the victim wherever the route takes an id. */
function send(by: Member, definition: RouteDefinition, tenantId: string) {
  const { path, init } = requestFor(definition, { tenantId, ids: ids as Record<string, string> })
  const url = new URL(path, server.url)
  for (const name of Object.keys(definition.query?.shape ?? {})) {
    if (ids[name] !== undefined && !url.searchParams.has(name)) {
      url.searchParams.set(name, String(ids[name]))
    }
  }
  return by.fetch(url.pathname + url.search, init as RequestInit)
}

/** Routes that leave out, or ignore, what is not the caller's. */
const ignoring = [
  'GET /api/appliance/v1/alerts',
  'GET /api/appliance/v1/history',
  'GET /api/appliance/v1/people',
  'GET /api/appliance/v1/recordings',
  'GET /api/appliance/v1/rights/grants',
  'GET /api/appliance/v1/rights/scope',
  'GET /api/appliance/v1/shares',
  'GET /api/appliance/v1/updates/agents/due/:deviceId',
  'POST /api/appliance/v1/batches',
  'POST /api/appliance/v1/devices/agents',
  'POST /api/appliance/v1/devices/permitted',
  'POST /api/appliance/v1/notices/dismissals',
  'POST /api/appliance/v1/rights/names',
]

describe('ids of another tenant', () => {
  test.each(naming.map((definition) => [title(definition), definition] as const))(
    '%s neither shows nor changes what they name',
    async (name, definition) => {
      for (const tenantId of [stranger.tenantId, victim.tenantId]) {
        const answer = await send(stranger, definition, tenantId)
        const text = await answer.text()
        expect(text.toLowerCase()).not.toContain(word)
        const statuses = [400, 401, 403, 404, 409]
        expect(ignoring.includes(name) ? [200, 201, 204, 403] : statuses, `${answer.status} ${text}`).toContain(
          answer.status,
        )
      }
      // By day once for all routes: reading every table takes longer than the requests.
      if (isNight) {
        expect(await rowsOfVictim()).toEqual(before)
      }
    },
  )

  test('have changed nothing after a request to each route', async () => {
    expect(await rowsOfVictim()).toEqual(before)
  })

  test('are those of things that their own tenant reads', async () => {
    const reading = naming.filter(
      ({ method, path }) => method === 'GET' && /:(batch|user|userGroup|device)Id/.test(path),
    )
    // Without an agent there is no output, no end of a file and no terminal.
    for (const definition of reading.filter(({ path }) => !/\/(output|follow)$|:terminalId/.test(path))) {
      const answer = await send(victim, definition, victim.tenantId)
      expect([title(definition), answer.status]).toEqual([title(definition), 200])
    }
    const shown = naming.find(({ path }) => path.endsWith('/notes'))!
    expect(await (await send(victim, shown, victim.tenantId)).text()).toContain(word)
  })
})
