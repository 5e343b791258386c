import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { App } from '../../../server/call/call.ts'
import { deviceGroupKind } from '../../../server/organization/group-kinds.ts'
import { buildDevice } from '../../support/factories.ts'
import { openTestMemory, tenantId } from '../../support/memory.ts'

/** More than two reads. */
const count = 4_100

test('a group lists thousands of devices by name in any letter case, each once', async () => {
  const groupId = randomUUID()
  // Equal names and both letter cases stand on the borders of the reads.
  const devices = Array.from({ length: count }, (_, index) =>
    buildDevice({ tenantId, name: `${index % 2 ? 'Desk' : 'desk'}-${index % 40}` }, index),
  )
  const { database, models, close } = await openTestMemory({
    fill: async ({ Device, DeviceGroup, DeviceGroupMember }, transaction) => {
      await Device.bulkCreate(devices, { transaction, validate: false })
      const group = { id: groupId, tenantId, name: 'all', description: null, createdAt: 0 }
      await DeviceGroup.create(group, { transaction })
      const links = devices.map(({ id: deviceId }) => ({ groupId, deviceId }))
      await DeviceGroupMember.bulkCreate(links, { transaction, validate: false })
    },
  })
  onTestFinished(close)
  const members = await deviceGroupKind.listMembers({ database, models } as App, groupId)
  const keyOf = ({ name, id }: { name: string; id: string }) => `${name.toLowerCase()} ${id}`
  expect(members.map((member) => keyOf({ name: member.deviceName, id: member.deviceId }))).toEqual(
    devices.map(keyOf).toSorted((a, b) => {
      const [left, right] = [a.split(' '), b.split(' ')]
      return left[0] === right[0] ? (left[1]! < right[1]! ? -1 : 1) : left[0]! < right[0]! ? -1 : 1
    }),
  )
})
