import { describe, expect, test } from 'vitest'
import { connectViewer, type Viewer } from '../support/hub-client.ts'
import { canJoin, joinedForFile } from '../support/joined-servers.ts'
import { connectWorkDevice, printAt } from '../support/running-work.ts'
import { Visitor } from '../support/server.ts'
import { until } from '../support/until.ts'

describe.runIf(canJoin)('the guest of a terminal at another server', () => {
  const joined = joinedForFile()

  const join = async (visitor: Visitor): Promise<Viewer> => {
    const guest = await connectViewer(visitor)
    await visitor.applianceTerminalShares.join({ body: { connectionId: guest.connection.connectionId! } })
    return guest
  }

  test('sees it, and finds it again when its device has moved', async () => {
    const { owner, ownerAtTwo, two } = joined
    const device = await connectWorkDevice(owner)
    const params = { deviceId: device.id, terminalId: crypto.randomUUID() }
    const viewer = await connectViewer(owner)
    expect(await viewer.CreateTerminalSession2(params)).toMatchObject({ isSuccess: true })
    const body = { guestName: 'Grace', canType: true }
    const { url } = await owner.applianceTerminalShares.create({ params, body })
    const visitor = new Visitor(two)
    const { pathname, search } = new URL(url)
    await until(async () => (await visitor.openLink(pathname + search)).status === 204)
    const guest = await join(visitor)
    await printAt(device, params.terminalId, 'before')
    await until(() => guest.outputs.some(({ output }) => output === 'before'))

    await connectWorkDevice(ownerAtTwo, device.agent)
    await guest.closed
    const again = await connectViewer(ownerAtTwo)
    await until(async () => (await again.CreateTerminalSession2(params)).isSuccess)
    await join(visitor)
  })
})
