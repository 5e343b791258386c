import sharp from 'sharp'
import { expect, test } from 'vitest'
import { atTenant } from '../support/grants.ts'
import { beginRequest } from '../support/late-request.ts'
import { addMember, addTenantAccount } from '../support/people.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { statusOf } from '../support/statuses.ts'
import { addDevices } from '../support/stored.ts'
import { steady } from '../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)

const tagNames = async () => (await server.rows<{ name: string }>('SELECT name FROM tags')).map(({ name }) => name)

const beginTag = (name: string, headers: Record<string, string>) =>
  beginRequest(server.url, {
    start: `POST /api/v1/tags?tenantId=${owner.tenantId}`,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: Buffer.from(JSON.stringify({ name })),
  })

test('T09: a request whose body ends after its account was disabled is rejected', async () => {
  const member = await addMember(server, owner.tenantId, ['tenant.tags.write'])
  const request = await beginTag('after-disabling', member.headers)
  await owner.appliancePeople.disable({ tenantId: owner.tenantId, params: { userId: member.user.id } })
  expect(await request.finish()).toBe(401)
  expect(await tagNames()).not.toContain('after-disabling')
})

test('T09: a request whose body ends after the key of its service account was revoked is rejected', async () => {
  const program = await addTenantAccount(owner, [atTenant('tenant.tags.write')])
  const request = await beginTag('after-revocation', { 'x-api-key': program.key })
  const params = { tenantId: owner.tenantId, serviceAccountId: program.id, credentialId: program.credentialId }
  await owner.tenantServiceAccounts.revokeCredential({ params })
  expect(await request.finish()).toBe(401)
  expect(await tagNames()).not.toContain('after-revocation')
})

test('T09: no key is made for a person who is disabled while the request waits to write', async () => {
  const { tenantId } = owner
  const { id } = await addTenantAccount(owner, [])
  const params = { tenantId, serviceAccountId: id }
  const keyOf = (name: string) => ({ params, body: { name } })
  const rights = ['service-account.rotate-credentials'] as const
  const [disabled, colleague] = [await addMember(server, tenantId, rights), await addMember(server, tenantId, rights)]
  const answers: Promise<number>[] = []
  let ended = 0
  const begin = async (call: Promise<unknown>) => {
    const answer = statusOf(call)
    answers.push(answer)
    void answer.then(() => ended++)
    // The request has turns enough to reach the queue of writes.
    expect(await steady(() => ended)).toBe(0)
  }
  await server.write(async () => {
    await begin(owner.appliancePeople.disable({ tenantId, params: { userId: disabled.user.id } }))
    await begin(disabled.tenantServiceAccounts.createCredential(keyOf('disabled')))
    await begin(colleague.tenantServiceAccounts.createCredential(keyOf('colleague')))
  })
  expect(await Promise.all(answers)).toEqual([200, 401, 200])
  const keys = await server.rows<{ name: string }>('SELECT name FROM service_account_credentials')
  expect(keys.map(({ name }) => name)).not.toContain('disabled')
})

test('T09: a picture of a note whose last byte arrives after its author was disabled is not kept', async () => {
  const [device] = await addDevices(server, owner.tenantId, 1)
  const deviceId = device!.id
  const rights = ['device.read', 'device.overview.read', 'device.alias.write'] as const
  const member = await addMember(server, owner.tenantId, rights)
  const { id } = await member.applianceDeviceNotes.add({ params: { deviceId }, body: { text: 'A picture.' } })
  const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'teal' } })
    .png()
    .toBuffer()
  const request = await beginRequest(server.url, {
    start: `PUT /api/appliance/v1/devices/${deviceId}/notes/${id}/picture`,
    headers: { ...member.headers, 'Content-Type': 'application/octet-stream' },
    body: png,
  })
  await owner.appliancePeople.disable({ tenantId: owner.tenantId, params: { userId: member.user.id } })
  expect(await request.finish()).toBe(401)
  expect(await server.rows('SELECT noteId FROM device_note_pictures')).toEqual([])
})
