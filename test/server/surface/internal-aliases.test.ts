import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildDevice } from '../../support/factories.ts'
import { addMember } from '../../support/people.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'

let nobody: Member
let tenantId: string
const deviceId = randomUUID()

const server = serverForFile()
const owner = ownerForFile(server)
beforeAll(async () => {
  tenantId = owner.tenantId
  await server.write((models, transaction) =>
    models.Device.create(buildDevice({ id: deviceId, tenantId, name: 'reception' }), { transaction }),
  )
  nobody = await addMember(server, tenantId, [])
})

/** Sends a request without a tenant, like older clients. */
async function send(member: Member, request: string, body?: unknown, headers: Record<string, string> = {}) {
  const [method = '', path = ''] = request.split(' ')
  const response = await member.fetch(path, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const type = response.headers.get('content-type')
  const answer: unknown = type?.includes('json') ? JSON.parse(text) : text
  return { status: response.status, headers: response.headers, type, answer }
}

const as = (member: Member) => async (request: string, body?: unknown) => {
  const { status, answer } = await send(member, request, body)
  return [status, answer] as const
}

describe('every deprecated route', () => {
  test('names the route to use instead, with the values of the request', async () => {
    const headersOf = async (request: string, body?: unknown) => {
      const { headers } = await send(owner, request, body)
      return [headers.get('deprecation'), headers.get('link')]
    }
    // RFC 9745: an instant, 2026-01-01.
    const link = (path: string) => ['@1767225600', `<${path}>; rel="successor-version"`]
    expect(await headersOf('GET /api/tags')).toEqual(link('/api/v1/tags'))
    expect(await headersOf(`GET /api/devices/${deviceId}`)).toEqual(link(`/api/v1/devices/${deviceId}`))
    expect(await headersOf(`DELETE /api/installer-keys/${deviceId}`)).toEqual(
      link(`/api/v1/installer-keys/${deviceId}`),
    )
    expect(await headersOf('PUT /api/installer-keys/rename', {})).toEqual(link('/api/v1/installer-keys/%7BkeyId%7D'))
    expect(await headersOf('GET /api/v1/version/server')).toEqual([null, null])
  })

  test('rejects with an empty body when the credential or the permission is missing', async () => {
    const anonymous = await server.visitor().fetch('/api/users')
    expect([anonymous.status, await anonymous.text()]).toEqual([401, ''])
    expect(await as(nobody)('GET /api/users')).toEqual([403, ''])
    expect(await as(nobody)('POST /api/tags', { name: 'x' })).toEqual([403, ''])
  })

  test('answers lists without an envelope', async () => {
    for (const path of ['users', 'invites', 'installer-keys', 'personal-access-tokens', 'tags', 'devices']) {
      const [status, answer] = await as(owner)(`GET /api/${path}`)
      expect([path, status, Array.isArray(answer)]).toEqual([path, 200, true])
    }
    expect(await as(nobody)('GET /api/devices')).toEqual([200, []])
  })

  test('takes a megabyte of JSON, and reports errors of a body as V1 does', async () => {
    const [status, problem] = await as(owner)('POST /api/device-tags', { deviceId })
    expect([status, (problem as { title: string }).title]).toEqual([400, 'One or more validation errors occurred.'])
  })
})

describe('devices', () => {
  test('are searched with the number of hidden ones', async () => {
    const [status, answer] = await as(owner)('POST /api/devices/search', { pageSize: 5, tagIds: [randomUUID()] })
    expect(status).toBe(200)
    expect(answer).toMatchObject({ items: [], totalItems: 0, hiddenUntaggedDevices: 1 })
    const v1 = await owner.devices.search({ body: { pageSize: 5 } })
    expect(v1).not.toHaveProperty('hiddenUntaggedDevices')
  })

  test('are renamed by a body that repeats their id', async () => {
    const rename = (body: unknown) => as(owner)(`PATCH /api/devices/${deviceId}/alias`, body)
    expect(await rename({ deviceId, alias: 'Desk' })).toMatchObject([200, { id: deviceId, alias: 'Desk' }])
    expect(await rename({ alias: 'Desk' })).toMatchObject([400, { errors: { deviceId: expect.anything() } }])
    expect(await rename({ deviceId: randomUUID(), alias: 'Desk' })).toMatchObject([
      400,
      { detail: 'Device ID mismatch.' },
    ])
  })

  test('share their path with the registration of agents', async () => {
    expect(await as(owner)('POST /api/devices', {})).toMatchObject([400, { status: 400 }])
    expect((await as(owner)('GET /api/devices'))[0]).toBe(200)
    const { status, headers } = await send(owner, 'PUT /api/devices', {})
    expect([status, headers.get('allow')?.split(', ').toSorted()]).toEqual([405, ['GET', 'POST']])
  })
})

describe('device tags', () => {
  const tagging = (body: unknown, accept: string) => send(owner, 'POST /api/device-tags', body, { accept })

  test('are refused with a bare sentence, as text or, when asked for, as JSON', async () => {
    const body = { deviceId, tagId: randomUUID() }
    const [text, json] = [await tagging(body, '*/*'), await tagging(body, 'application/json')]
    expect([text.status, text.type, text.answer]).toEqual([404, 'text/plain; charset=utf-8', 'Tag not found.'])
    expect([json.status, json.type, json.answer]).toEqual([404, 'application/json; charset=utf-8', 'Tag not found.'])
    const unknown = await tagging({ deviceId: randomUUID(), tagId: randomUUID() }, '*/*')
    expect([unknown.status, unknown.answer]).toEqual([404, 'Device not found.'])
  })
})

describe('tags', () => {
  test('are created, renamed in all three forms of body, and deleted', async () => {
    const [status, made] = await as(owner)('POST /api/tags', { name: 'first' })
    const { id } = made as { id: string }
    expect([status, made]).toEqual([200, { id, name: 'first', type: 'Unknown', deviceIds: [], userIds: [] }])
    const renamed = (name: string) => [200, { id, name, type: 'Unknown', deviceIds: [], userIds: [] }]
    expect(await as(owner)(`PUT /api/tags/${id}`, { name: 'second' })).toEqual(renamed('second'))
    expect(await as(owner)(`PUT /api/tags/${id}`, { tagId: id, newTagName: 'third' })).toEqual(renamed('third'))
    expect(await as(owner)('PUT /api/tags', { tagId: id, newTagName: 'fourth' })).toEqual(renamed('fourth'))
    expect(await as(owner)('GET /api/tags')).toEqual([200, [renamed('fourth')[1]]])
    expect(await as(owner)(`PUT /api/tags/${id}`, {})).toMatchObject([400, { errors: { name: ['is required'] } }])
    expect(await as(owner)(`PUT /api/tags/${id}`, { name: 'No!' })).toMatchObject([400, { status: 400 }])
    expect(await as(owner)(`DELETE /api/tags/${id}`)).toEqual([204, ''])
  })
})

describe('installer keys', () => {
  test('need no tenant, and are renamed by a body with their id', async () => {
    const [status, key] = await as(owner)('POST /api/installer-keys', { keyType: 'Persistent', tenantId: randomUUID() })
    const { id } = key as { id: string }
    expect([status, key]).toMatchObject([200, { keySecret: expect.any(String) }])
    expect(await as(owner)('PUT /api/installer-keys/rename', { id, friendlyName: 'Named' })).toEqual([204, ''])
    expect((await owner.installerKeys.list({ tenantId })).items).toMatchObject([{ id, friendlyName: 'Named' }])
    expect(await as(owner)(`GET /api/installer-keys/usages/${id}`)).toEqual([200, []])
    expect(await as(owner)('POST /api/installer-keys', { keyType: 'UsageBased' })).toMatchObject([
      400,
      { errors: { allowedUses: expect.anything() } },
    ])
    expect(await as(owner)(`DELETE /api/installer-keys/${id}`)).toEqual([204, ''])
  })
})

describe('people', () => {
  test('are invited with 200', async () => {
    expect(await as(owner)('POST /api/invites', { inviteeEmail: 'new@example.org' })).toMatchObject([
      200,
      { inviteeEmail: 'new@example.org' },
    ])
  })

  test('are created with 201 and a Location on the deprecated surface', async () => {
    const { status, headers } = await send(owner, 'POST /api/users', { userName: 'hal@example.org' })
    expect([status, headers.get('location')]).toEqual([201, '/api/users'])
  })

  test('that cannot be created are refused with a list of sentences', async () => {
    const [status, answer] = await as(owner)('POST /api/users', { userName: 'hal@example.org' })
    expect([status, answer]).toEqual([400, [expect.any(String)]])
    const weak = await as(owner)('POST /api/users', { userName: 'eve@example.org', password: 'weak' })
    expect(weak).toEqual([400, expect.arrayContaining(['password must have at least 8 characters'])])
    const mistyped = await as(owner)('POST /api/users', { userName: 'eve@example.org', password: {} })
    expect(mistyped).toMatchObject([400, { errors: { password: ['must be text'] } }])
  })
})

describe('personal access tokens', () => {
  test('answer 200 to every success, and 400 for an unknown token', async () => {
    const [status, made] = await as(owner)('POST /api/personal-access-tokens', { name: 'token' })
    const { id } = (made as { personalAccessToken: { id: string } }).personalAccessToken
    expect(status).toBe(200)
    expect(await as(owner)(`DELETE /api/personal-access-tokens/${id}`)).toEqual([200, ''])
    const again = await send(owner, `DELETE /api/personal-access-tokens/${id}`)
    expect([again.status, again.type]).toEqual([400, 'text/plain; charset=utf-8'])
  })
})

describe('files', () => {
  const create = (body: object) =>
    send(owner, `POST /api/device-file-system/create-directory/${deviceId}`, {
      parentPath: '/tmp',
      directoryName: 'new',
      ...body,
    })

  test('of an offline device are refused with a bare sentence', async () => {
    const { status, answer } = await create({ deviceId })
    expect([status, answer]).toEqual([400, 'Device is not currently online.'])
    expect((await create({})).answer).toBe('Device is not currently online.')
  })

  test('are those of the device in the path', async () => {
    expect((await create({ deviceId: randomUUID() })).answer).toBe('Device ID mismatch.')
  })
})

test('a test mail that cannot be sent is refused with a bare sentence', async () => {
  const { status, type } = await send(owner, 'POST /api/test-email')
  expect([status, type]).toEqual([400, 'text/plain; charset=utf-8'])
})

test('settings have the shape of the deprecated surface', async () => {
  expect(await as(owner)('GET /api/tenant-settings/instance-id')).toEqual([204, ''])
  expect(await as(owner)('POST /api/tenant-settings', { name: 'instance-id', value: 'one' })).toMatchObject([
    200,
    { name: 'instance-id', value: 'one' },
  ])
  expect(await as(owner)('GET /api/tenant-settings')).toMatchObject([200, { instanceId: 'one' }])
  expect(await as(owner)('DELETE /api/tenant-settings/instance-id')).toEqual([204, ''])
  expect(await as(owner)('GET /api/user-server-settings/file-upload-max-size')).toMatchObject([
    200,
    { maxFileSize: expect.any(Number) },
  ])
})
