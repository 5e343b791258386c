import { expect, test } from 'vitest'
import { enroll } from '../../support/agent.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { useTestServer } from '../../support/server.ts'

test('each log line of something that a person did names them in the one field `actor`', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { tenantId } = owner
  const agent = await enroll(owner)
  await agent.connect(server.url)
  const viewer = await connectViewer(owner)
  const { id: userId } = await owner.users.create({ tenantId, body: { userName: 'grace@example.org' } })
  await owner.users.resetPassword({ tenantId, params: { userId } })
  await owner.users.delete({ tenantId, params: { userId } })
  await owner.invites.create({ tenantId, body: { inviteeEmail: 'linus@example.org' } })
  await owner.logonTokens.createForUser({ body: { tenantId, deviceId: agent.id, userId: owner.user.id } })
  await viewer.SendPowerStateChange2({ deviceId: agent.id, changeType: 1 })
  await viewer.UninstallAgent2({ deviceId: agent.id, reason: 'sold' })
  const actor = expect.objectContaining({ type: 'user', id: owner.user.id, remoteAddress: '127.0.0.1' })
  const sent = (command: string) => ['A command was sent to an agent.', { actor, deviceId: agent.id, command }]
  const lines = server.log.lines.map(({ message, fields }) => [message, fields] as const)
  const done = lines.filter(([, fields]) => 'actor' in fields)
  // A device registers with the installer key of its creator.
  const source = expect.objectContaining({ credential: { kind: 'InstallerKey', id: expect.any(String) as string } })
  expect(done).toEqual([
    ['A person registered.', expect.objectContaining({ actor })],
    [
      'A device registered.',
      { actor: { type: 'user', id: owner.user.id, remoteAddress: '127.0.0.1', source }, deviceId: agent.id },
    ],
    ['A user was created.', { actor, userId, tenantId }],
    ['A password was reset.', { actor, userId, tenantId }],
    ['A user was deleted.', { actor, userId, tenantId }],
    ['An invite was created.', expect.objectContaining({ actor, tenantId })],
    ['A logon token was created.', expect.objectContaining({ actor, deviceId: agent.id })],
    sent('power'),
    sent('uninstall'),
  ])
  expect(lines.filter(([, fields]) => 'by' in fields || 'byId' in fields)).toEqual([])
})
