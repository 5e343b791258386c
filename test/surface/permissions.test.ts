import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { successOf, type RouteDefinition } from '../../shared/contract/route.ts'
import { buildDevice } from '../support/factories.ts'
import { addMember } from '../support/people.ts'
import { serverForFile, type Member } from '../support/server.ts'
import { requestFor } from './requests.ts'
import { answersProblems, rows } from './routes.ts'

/** User of the first tenant without rights, and a second user who may see its devices. */
let nobody: Member
let reader: Member
let tenantId: string
const own = randomUUID()
const foreign = randomUUID()
let deviceGroupId: string
let userGroupId: string

const server = serverForFile({
  settings: { AppOptions__EnablePublicRegistration: 'true', AppOptions__EnableInteractiveBearerLogin: 'true' },
})
beforeAll(async () => {
  const owner = await server.owner()
  const other = await server.owner({ email: 'grace@example.org', organizationName: 'Others' })
  tenantId = owner.tenantId
  const group = { tenantId, body: { name: 'Group' } }
  deviceGroupId = (await owner.deviceGroups.create(group)).id
  userGroupId = (await owner.userGroups.create(group)).id
  await server.write((models, transaction) =>
    models.Device.bulkCreate(
      [buildDevice({ id: own, tenantId }), buildDevice({ id: foreign, tenantId: other.tenantId })],
      { transaction },
    ),
  )
  nobody = await addMember(server, tenantId, [])
  reader = await addMember(server, tenantId, ['device.read'])
})

async function send(member: Member, definition: RouteDefinition, ids: Record<string, string> = {}) {
  const { path, init } = requestFor(definition, { tenantId, ids: { deviceGroupId, userGroupId, ...ids } })
  const response = await member.fetch(path, init)
  return { status: response.status, text: await response.text() }
}

const accessOn =
  (...things: string[]) =>
  ({ access }: RouteDefinition) =>
    typeof access === 'object' && 'on' in access && things.includes(access.on)

const permissionOf = ({ access }: RouteDefinition) =>
  typeof access === 'object' && 'permission' in access ? access.permission : ''

/** Expects a rejection: without a body on the older surface, elsewhere with the missing permission. */
function expectRefusal(definition: RouteDefinition, { status, text }: { status: number; text: string }) {
  expect(status).toBe(403)
  if (answersProblems(definition)) {
    expect(text).toContain(permissionOf(definition))
  } else {
    expect(text).toBe('')
  }
}

/** Routes that must answer 400 where the tenant does not have the device. */
const saysOfNoTenant = ({ access }: RouteDefinition) => typeof access === 'object' && 'ofNoTenant' in access

describe('without the permission', () => {
  test.each(rows(accessOn('server', 'tenant', 'deviceGroup', 'userGroup')))('%s is 403', async (_, definition) => {
    expectRefusal(definition, await send(nobody, definition))
  })

  const onDevices = rows(accessOn('device'))

  test.each(onDevices.filter(([, definition]) => permissionOf(definition) !== 'device.read'))(
    '%s is 403 for a device that may only be read',
    async (_, definition) => {
      expectRefusal(definition, await send(reader, definition, { deviceId: own }))
    },
  )

  test.each(onDevices)('%s does not reveal that a device of another tenant exists', async (_, definition) => {
    const unknown = await send(reader, definition, { deviceId: randomUUID() })
    expect(unknown.status).toBe(saysOfNoTenant(definition) ? 400 : 404)
    const withoutTrace = ({ status, text }: typeof unknown) => [status, text.replace(/"traceId":"[^"]+"/, '')]
    const answer = await send(reader, definition, { deviceId: foreign })
    expect(withoutTrace(answer)).toEqual(withoutTrace(unknown))
    const unseen = await send(nobody, definition, { deviceId: own })
    expect(unseen.status).toBe(404)
    if (!saysOfNoTenant(definition)) {
      expect(withoutTrace(unseen)).toEqual(withoutTrace(unknown))
    }
  })

  test.each(rows(({ access }) => typeof access === 'object' && 'scope' in access))(
    '%s answers an empty list, not an error',
    async (_, definition) => {
      const { status, text } = await send(nobody, definition)
      expect(status).toBe(successOf(definition))
      expect(text).not.toContain(own)
    },
  )
})
