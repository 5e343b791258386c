import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, onTestFinished, test } from 'vitest'
import { enroll, installerKey, TestAgent } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { some } from '../../support/night.ts'
import { documents } from '../../support/openapi.ts'
import { addMember } from '../../support/people.ts'
import { recordingAgent } from '../../support/recording-agent.ts'
import { useTestServer, type Member } from '../../support/server.ts'
import { callerOf, startSession } from '../../support/session.ts'
import { until } from '../../support/until.ts'

const dayMs = 24 * 60 * 60 * 1000

const typesAfter = async (reader: Member, after?: string) => {
  const { items } = await reader.applianceEvents.list({ query: { ...(after !== undefined && { after }), limit: 1000 } })
  return items.map(({ type }) => type)
}

/** A feed as `EventSource` reads it, until `end` or the end of the response. */
async function openFeed(reader: Member, query = '', lastEventId?: string) {
  const end = new AbortController()
  const response = await reader.fetch(`/api/appliance/v1/events${query}`, {
    headers: { accept: 'text/event-stream', ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    signal: end.signal,
  })
  const feed = {
    response,
    events: [] as { id: string; type: string; data: { name?: string } }[],
    isEnded: false,
    end: () => end.abort(),
  }
  const read = async () => {
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + chunk).split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (data !== undefined) {
          feed.events.push(JSON.parse(data) as (typeof feed.events)[number])
        }
      }
    }
  }
  void read()
    .catch(() => {})
    .finally(() => (feed.isEnded = true))
  return feed
}

test('a device appears as registered, online, changed, offline and deleted, in this order, with ascending ids', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const agent = await enroll(owner)
  const connected = await agent.connect(server.url)
  await owner.devices.setAlias({ params: { deviceId: agent.id }, body: { alias: 'Reception' } })
  await connected.connection.stop()
  await until(async () => (await typesAfter(owner)).includes('device.offline'))
  await owner.devices.delete({ params: { deviceId: agent.id } })

  const { items, last, hasMore } = await owner.applianceEvents.list({ query: { kinds: 'device' } })

  expect(items.map(({ type }) => type)).toEqual([
    'device.registered',
    'device.online',
    'device.changed',
    'device.offline',
    'device.deleted',
  ])
  expect(items[2]).toMatchObject({
    specversion: '1.0',
    source: server.url,
    subject: agent.id,
    tenantid: owner.tenantId,
    data: { name: 'Reception', changed: ['alias'] },
  })
  const ids = items.map(({ id }) => Number(id))
  expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  expect(new Set(ids).size).toBe(ids.length)
  expect([Number(last) >= ids.at(-1)!, hasMore]).toEqual([true, false])
  const rest = await owner.applianceEvents.list({ query: { after: items[3]!.id, kinds: 'device.deleted' } })
  expect(rest.items.map(({ id }) => id)).toEqual([items[4]!.id])
  await expect(owner.applianceEvents.list({ query: { kinds: 'weather' } })).rejects.toMatchObject({ status: 400 })
})

test('a device that changes all the time has 120 events an hour, one about what became of it, and is waited for', async () => {
  const clock = manualClock(Date.now())
  const server = await useTestServer({ clock })
  const owner = await server.owner()
  const agent = await enroll(owner)
  const { id: deviceId } = agent
  for (let number = 1; number <= 125; number++) {
    await owner.devices.setAlias({ params: { deviceId }, body: { alias: `Reception ${number}` } })
  }
  const changes = async () => {
    const { items } = await owner.applianceEvents.list({ query: { kinds: 'device.changed', limit: 1000 } })
    return items.map(({ data }) => data)
  }
  await until(async () => (await changes()).length === 120)
  const comings = async () => (await typesAfter(owner)).filter((type) => /online|offline/.test(type))
  const comeAndGo = async () => {
    await (await agent.connect(server.url)).connection.stop()
    await until(async () => !(await owner.devices.get({ params: { deviceId } })).isOnline)
  }
  await comeAndGo()
  await comeAndGo()
  expect(await comings()).toEqual(['device.online'])
  await owner.applianceAlerts.watch({ params: { deviceId } })
  await comeAndGo()
  await until(async () => (await comings()).length === 3)
  expect(await comings()).toEqual(['device.online', 'device.offline', 'device.online'])
  clock.advance(60 * 60 * 1000)
  await until(async () => (await comings()).at(-1) === 'device.offline')
  const last = await until(async () => (await changes())[120])
  expect(last).toMatchObject({ name: 'Reception 125', changed: ['alias'] })
}, 30_000)

test('events of each group are as the document describes their types', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const agent = await enroll(owner)
  const { connection } = await agent.connect(server.url)
  const { tenantId } = owner
  await owner.invites.create({ tenantId, body: { inviteeEmail: 'grace@example.org' } })
  await owner.applianceBatches.start({ body: { kind: 'wake', deviceIds: [agent.id] } })
  await until(async () => (await typesAfter(owner)).includes('job.ended'))
  await connection.stop()
  const { items } = await owner.applianceEvents.list({ query: { limit: 1000 } })
  const types = new Set(items.map(({ type }) => type))
  expect([...types]).toEqual(
    expect.arrayContaining(['device.online', 'job.started', 'job.ended', 'person.invited', 'server.started']),
  )
  const { components } = documents.get('appliance')!
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'document', components })
  const check = ajv.compile({ $ref: 'document#/components/schemas/EventDto' })
  expect(items.filter((event) => !check(event))).toEqual([])
  expect(check({ ...items[0], type: 'device.online', data: {} })).toBe(false)
})

test.each(
  some([['js', process.execPath, ['--input-type=module', '-e']] as const, ['python', 'python3', ['-c']] as const], 2),
)('the reader of docs/api.md in %s prints events as they happen', async (language, program, words) => {
  const guide = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8')
  const [, text] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(guide)!
  const server = await useTestServer()
  const owner = await server.owner()
  const made = await owner.personalAccessTokens.create({ tenantId: owner.tenantId, body: { name: 'reader' } })
  const script = text!.replaceAll('x-api-key', 'x-personal-token')
  const child = spawn(program, [...words, script], {
    env: { ...process.env, FARHAND_URL: server.url, FARHAND_KEY: made.plainTextToken },
  })
  onTestFinished(() => void child.kill())
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const agent = await enroll(owner)
  await until(() => output.includes('\n'))
  expect(output).toBe(`device.registered ${agent.report().name}\n`)
})

test('a feed that was cut goes on after its last event and misses nothing', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const first = await openFeed(owner, '?kinds=device')
  expect(first.response.headers.get('content-type')).toBe('text/event-stream')
  await enroll(owner)
  await until(() => first.events.length === 1)
  first.end()
  await enroll(owner)
  await enroll(owner)

  const second = await openFeed(owner, '?kinds=device&after=0', first.events[0]!.id)
  await until(() => second.events.length === 2)
  await enroll(owner)
  await until(() => second.events.length === 3)
  expect(second.events.map(({ type }) => type)).toEqual(Array(3).fill('device.registered'))

  // Stopping the server ends the feed at once; another start continues where the reader was.
  await server.restart()
  await until(() => second.isEnded)
  expect(await typesAfter(owner, second.events.at(-1)!.id)).toEqual(['server.started'])
})

test('of feeds that an account opens at once, 20 are opened, and a closed one makes room', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const feeds = await Promise.all(Array.from({ length: 25 }, () => openFeed(owner)))
  const opened = feeds.filter(({ response }) => response.status === 200)
  expect(opened).toHaveLength(20)
  opened[0]!.end()
  await until(async () => (await openFeed(owner)).response.status === 200)
})

test('a reader sees only what it may read now, also while the feed is open (T10)', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const reader = await addMember(server, owner.tenantId, ['device.read'])
  const feed = await openFeed(reader)
  const seen = await enroll(owner)
  await until(() => feed.events.length === 1)
  await owner.permissionAssignments.create({
    tenantId: owner.tenantId,
    body: {
      principalKind: 'User',
      principalId: reader.user.id,
      permissionName: 'device.read',
      effect: 'Deny',
      scopeKind: 'Tenant',
      scopeId: owner.tenantId,
    },
  })
  await enroll(owner)

  expect(await typesAfter(owner)).toEqual(expect.arrayContaining(['person.added', 'rights.changed', 'server.started']))
  expect(await typesAfter(reader)).toEqual([])
  await owner.appliancePeople.disable({ tenantId: owner.tenantId, params: { userId: reader.user.id } })
  await until(() => feed.isEnded)
  expect(feed.events.map(({ type, data }) => [type, data.name])).toEqual([['device.registered', seen.report().name]])
})

test('a guest with a link to a device reads no events, which name the people who worked on it', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const agent = await recordingAgent(owner)
  await startSession(await callerOf(owner), agent)
  const link = await owner.logonTokens.createForExternalUser({
    body: { tenantId: owner.tenantId, deviceId: agent.id, userCorrelationId: 'guest', permissions: ['device.read'] },
  })
  const guest = server.visitor()
  await guest.fetch(link.deviceAccessUrl, { redirect: 'manual' })
  expect((await guest.devices.list({})).map(({ id }) => id)).toEqual([agent.id])
  expect((await owner.applianceEvents.list({ query: { kinds: 'session' } })).items).not.toEqual([])
  expect((await guest.applianceEvents.list({ query: {} })).items).toEqual([])
})

test('a session that ends with its device is an event and an entry of the audit log, with the device', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const agent = await recordingAgent(owner)
  await startSession(await callerOf(owner), agent)
  await owner.devices.delete({ params: { deviceId: agent.id } })
  await until(async () => (await typesAfter(owner)).includes('session.ended'))
  const { items } = await owner.applianceEvents.list({ query: { kinds: 'session' } })
  expect(items.map(({ type, subject }) => [type, subject])).toEqual([
    ['session.began', agent.id],
    ['session.ended', agent.id],
  ])
  const { items: log } = await owner.applianceAuditLog.listAll({ query: { category: 'session' } })
  expect(log.map(({ kind, deviceId }) => [kind, deviceId])).toEqual([
    ['session.cut', agent.id],
    ['session.began', agent.id],
  ])
})

test('a device that enrolls in another organization takes none of its former events along (T41)', async () => {
  const server = await useTestServer({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
  const owner = await server.owner()
  const { id } = await enroll(owner)
  await owner.devices.delete({ params: { deviceId: id } })
  const stranger = await server.owner({ email: 'mallory@example.org', organizationName: 'Mallory and Sons' })
  await new TestAgent(stranger.tenantId, id).register(stranger, await installerKey(stranger))
  const seenBy = async (reader: Member) =>
    (await reader.applianceEvents.list({ query: { kinds: 'device' } })).items.map((event) => [
      event.type,
      event.tenantid,
    ])
  expect(await seenBy(stranger)).toEqual([['device.registered', stranger.tenantId]])
  expect(await seenBy(owner)).toEqual([
    ['device.registered', owner.tenantId],
    ['device.deleted', owner.tenantId],
  ])
})

test('events are kept for 30 days; an older place is answered 410 with the first id', async () => {
  const clock = manualClock()
  const server = await useTestServer({ clock })
  const owner = await server.owner()
  const [first] = (await owner.applianceEvents.list({ query: {} })).items
  clock.advance(31 * dayMs)
  await server.restart()
  const again = await server.signIn()
  await until(async () => (await typesAfter(again))[0] === 'server.started')
  const { items } = await again.applianceEvents.list({ query: {} })
  const answer = await again.fetch(`/api/appliance/v1/events?after=${first!.id}`)
  expect([answer.status, await answer.json()]).toEqual([410, expect.objectContaining({ firstEventId: items[0]!.id })])
  const ahead = await again.fetch(`/api/appliance/v1/events?after=${Number(items.at(-1)!.id) + 1}`)
  expect(ahead.status).toBe(410)
})

test('devices that were connected when the server was killed are offline in the feed after its start', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const agent = await enroll(owner)
  await (await agent.connect(server.url)).connection.stop()
  await until(async () => (await typesAfter(owner)).includes('device.offline'))
  // As a kill leaves it: the end of the connection is not stored.
  await server.whileStopped((database) =>
    database.write((transaction) =>
      database.sequelize.query("DELETE FROM program_events WHERE kind = 'device.offline'", { transaction }),
    ),
  )
  const { items } = await owner.applianceEvents.list({ query: { kinds: 'device.offline' } })
  expect(items.map(({ subject }) => subject)).toEqual([agent.id])
})
