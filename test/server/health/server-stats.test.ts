import { beforeAll, expect, test } from 'vitest'
import { enroll } from '../../support/agent.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { addMember } from '../../support/people.ts'
import { serverForFile, useTestServer, type Member } from '../../support/server.ts'

let owner: Member

const server = serverForFile({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
beforeAll(async () => {
  owner = await server.owner()
})

test('the counts cover all tenants and change at once', async () => {
  const other = await server.owner({ email: 'grace@example.org' })
  const [agent, foreignAgent] = [await enroll(owner), await enroll(other)]
  const expected = { totalTenants: 2, onlineAgents: 0, totalAgents: 2, onlineUsers: 0, totalUsers: 2 }
  expect(await owner.serverStats.get({})).toEqual(expected)
  const connection = await foreignAgent.connect(server.url)
  const viewers = [await connectViewer(owner), await connectViewer(owner), await connectViewer(other)]
  expect(await owner.serverStats.get({})).toEqual({ ...expected, onlineAgents: 1, onlineUsers: 2 })
  await connection.connection.stop()
  await Promise.all(viewers.map((viewer) => viewer.connection.stop()))
  await expect.poll(() => owner.serverStats.get({})).toEqual(expected)
  await owner.devices.delete({ params: { deviceId: agent.id } })
  expect(await owner.serverStats.get({})).toEqual({ ...expected, totalAgents: 1 })
})

test('the counts need server.telemetry.read, on request and when pushed', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const agent = await enroll(owner)
  const member = await addMember(server, owner.tenantId, ['device.read'])
  await expect(member.serverStats.get({})).rejects.toMatchObject({ status: 403 })
  // addMember restarts the server, which ends no session.
  const [told, untold] = [await connectViewer(owner), await connectViewer(member)]
  const expected = { totalTenants: 1, onlineAgents: 0, totalAgents: 1, onlineUsers: 2, totalUsers: 2 }
  await expect.poll(() => told.stats, { timeout: 8_000 }).toEqual([expected])
  await agent.connect(server.url)
  await expect.poll(() => told.stats, { timeout: 8_000 }).toEqual([expected, { ...expected, onlineAgents: 1 }])
  expect(untold.stats).toEqual([])
})
