import { describe, expect, test } from 'vitest'
import { enroll } from '../support/agent.ts'
import { canJoin, joinedForFile } from '../support/joined-servers.ts'

describe.runIf(canJoin)('a signed update at two servers of a database', () => {
  const joined = joinedForFile()

  test('that was captured on its way to one server is a replay at the other at once', async () => {
    const { owner, ownerAtTwo, one, two } = joined
    for (const [first, second] of [
      [one, two],
      [two, one],
    ] as const) {
      const device = await enroll(owner)
      const update = device.signed(device.report())
      const agent = await device.open(first.url)
      expect(await agent.UpdateDeviceSigned(update)).toMatchObject({ isSuccess: true })
      const thief = await device.open(second.url)
      expect(await thief.UpdateDeviceSigned(update)).toMatchObject({ isSuccess: false, reason: 'Timestamp expired.' })
      const { connectionId } = await ownerAtTwo.devices.get({ params: { deviceId: device.id } })
      // The agent still speaks for the device.
      expect(await agent.UpdateDeviceSigned(device.signed(device.report()))).toMatchObject({
        value: { connectionId },
      })
    }
  })

  test('that arrives at both at the same moment is accepted by one', async () => {
    const { owner, one, two } = joined
    for (let round = 0; round < 20; round++) {
      const device = await enroll(owner)
      const connections = [await device.open(one.url), await device.open(two.url)]
      const update = device.signed(device.report())
      const answers = await Promise.all(connections.map((agent) => agent.UpdateDeviceSigned(update)))
      expect(answers.filter(({ isSuccess }) => isSuccess)).toHaveLength(1)
    }
  })
})
