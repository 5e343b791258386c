import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { DevicePermission } from '../../shared/access.ts'
import { success } from '../../shared/dtos/hub-result.ts'
import { enrol } from '../support/agent.ts'
import { buildAssignment } from '../support/factories.ts'
import { connectViewer } from '../support/hub-client.ts'
import { useTestServer } from '../support/server.ts'

/** A device and its owner, who loses a permission on it when `takeAway` is called. */
async function prepared(permissionName: DevicePermission) {
  const server = await useTestServer({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
  const owner = await server.owner()
  const agent = await enrol(owner)
  const deny = buildAssignment({
    principalId: owner.user.id,
    permissionName,
    effect: 'Deny',
    scopeKind: 'Device',
    scopeId: agent.id,
    isEnabled: false,
  })
  await server.whileStopped((database, models) =>
    database.write((transaction) => models.PermissionAssignment.create(deny, { transaction })),
  )
  const takeAway = async () => {
    await server.changeRow('permission_assignments', deny.id, 'isEnabled = 1')
    // Rights are read anew whenever somebody is given some.
    await server.owner({ email: 'grace@example.org' })
  }
  return { server, owner, agent, takeAway }
}

test('whoever may not use a terminal any more gets no output, and no answer but Forbidden.', async () => {
  const { server, owner, agent, takeAway } = await prepared('device.terminal.use')
  const { SendTerminalOutputToViewer } = await agent.connect(server.url, { CreateTerminalSession: () => success })
  const viewer = await connectViewer(owner)
  const terminalId = randomUUID()
  await viewer.CreateTerminalSession2({ deviceId: agent.id, terminalId })
  const say = (output: string) =>
    SendTerminalOutputToViewer(viewer.connection.connectionId!, {
      terminalId,
      output,
      outputKind: 0,
      timestamp: new Date().toISOString(),
    })
  await say('before')
  await takeAway()
  await say('after')
  const answer = await viewer.SendTerminalInput2({ deviceId: agent.id, input: { terminalId, input: 'ls' } })
  expect(answer.reason).toBe('Forbidden.')
  expect(viewer.outputs.map(({ output }) => output)).toEqual(['before'])
})

test('whoever may not read a device any more hears nothing of it', async () => {
  const { server, owner, agent, takeAway } = await prepared('device.read')
  const viewer = await connectViewer(owner)
  await viewer.SubscribeToDeviceHeartbeats2({ deviceIds: [agent.id] })
  const { UpdateDeviceSigned } = await agent.connect(server.url)
  await expect.poll(() => viewer.devices.length).toBe(1)
  await takeAway()
  await UpdateDeviceSigned(agent.signed(agent.report()))
  await viewer.UnsubscribeFromDeviceHeartbeats2({ deviceIds: [] })
  expect(viewer.devices).toHaveLength(1)
  await expect(owner.devices.get({ params: { deviceId: agent.id } })).rejects.toMatchObject({ status: 404 })
})
