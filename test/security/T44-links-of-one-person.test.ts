import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { rowLimits } from '../../shared/row-limits.ts'
import { enroll } from '../support/agent.ts'
import { copyRow } from '../support/copied-rows.ts'
import { addMember } from '../support/people.ts'
import { ownerForFile, serverForFile, type Member } from '../support/server.ts'
import { statusOf } from '../support/statuses.ts'

const server = serverForFile()
const owner = ownerForFile(server)
let deviceId: string
let otherId: string
let bob: Member

beforeAll(async () => {
  deviceId = (await enroll(owner)).id
  otherId = (await enroll(owner)).id
  const at = { scopeKind: 'Device', scopeId: deviceId } as const
  bob = await addMember(server, owner.tenantId, [
    { permissionName: 'device.read', ...at },
    { permissionName: 'device.overview.read', ...at },
    { permissionName: 'device.logon-token.create', ...at },
  ])
})

const link = (by: Member, device: string) =>
  by.logonTokens.createForUser({ body: { tenantId: owner.tenantId, deviceId: device, userId: by.user.id } })

const guestLink = (by: Member, device: string) =>
  by.logonTokens.createForExternalUser({
    body: { tenantId: owner.tenantId, deviceId: device, userCorrelationId: randomUUID() },
  })

describe('T44: a person who may share one device leaves half to the others', () => {
  test('of the links', async () => {
    await link(bob, deviceId)
    await copyRow(server, 'LogonToken', { copies: rowLimits.links / 2 - 1 })
    await expect(link(bob, deviceId)).rejects.toMatchObject({
      status: 409,
      message: expect.stringMatching(
        /^You made half of the links that there may be, or more: the limit is 10,000 links\./,
      ),
    })
    expect(await statusOf(link(owner, otherId))).toBe(200)
  })

  test('of the guests', async () => {
    await server.write(async ({ LogonToken }, transaction) => LogonToken.destroy({ where: {}, transaction }))
    await guestLink(bob, deviceId)
    const guest = await server.write(({ User }, transaction) =>
      User.findOne({ where: { accountType: 'External' }, transaction, rejectOnEmpty: true }),
    )
    await copyRow(server, 'User', { copies: rowLimits.guests / 2 - 1, id: guest.id })
    expect(await statusOf(guestLink(bob, deviceId))).toBe(409)
    expect(await statusOf(guestLink(owner, otherId))).toBe(200)
  })
})
