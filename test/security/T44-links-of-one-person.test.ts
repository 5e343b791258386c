import { randomUUID } from 'node:crypto'
import { Op } from 'sequelize'
import sharp from 'sharp'
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
    { permissionName: 'device.alias.write', ...at },
  ])
})

const link = (by: Member, device: string) =>
  by.logonTokens.createForUser({ body: { tenantId: owner.tenantId, deviceId: device, userId: by.user.id } })

const guestLink = (by: Member, device: string) =>
  by.logonTokens.createForExternalUser({
    body: { tenantId: owner.tenantId, deviceId: device, userCorrelationId: randomUUID() },
  })

const note = (by: Member, device: string) =>
  by.applianceDeviceNotes.add({ params: { deviceId: device }, body: { text: 'See the error.' } })

const picture = Buffer.from(
  await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
    .png()
    .toBuffer(),
)

async function addPicture(by: Member, device: string) {
  const { id } = await note(by, device)
  const response = await by.fetch(`/api/appliance/v1/devices/${device}/notes/${id}/picture`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: picture,
  })
  return response.status
}

describe('T44: a person with rights on one device leaves half to the others', () => {
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

  test('of the notes', async () => {
    const { id } = await note(bob, deviceId)
    const half = rowLimits['notes about devices'] / 2
    await copyRow(server, 'DeviceNote', { copies: half - 1, id })
    await server.write(({ DeviceNote }, transaction) =>
      DeviceNote.update({ deviceId: otherId }, { where: { id: { [Op.ne]: id } }, transaction }),
    )
    await expect(note(bob, deviceId)).rejects.toMatchObject({
      status: 409,
      message: expect.stringMatching(/^You made half of the notes about devices/),
    })
    expect(await statusOf(note(owner, deviceId))).toBe(200)
    await server.write(({ DeviceNote }, transaction) => DeviceNote.destroy({ where: {}, transaction }))
  })

  test('of the space for pictures of notes', async () => {
    expect(await addPicture(bob, deviceId)).toBe(200)
    await server.write(({ DeviceNotePicture }, transaction) =>
      DeviceNotePicture.update({ byteCount: 256 * 1024 * 1024 }, { where: {}, transaction }),
    )
    expect(await addPicture(bob, deviceId)).toBe(409)
    expect(await addPicture(owner, otherId)).toBe(200)
  })
})
