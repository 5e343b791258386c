import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { enroll } from '../support/agent.ts'
import { addMember } from '../support/people.ts'
import { useTestServer, type Member } from '../support/server.ts'

const status = (by: Member) => by.userServerSettings.decommissionStatus({})
const deploy = (by: Member) =>
  by.applianceDeployments.create({ body: { tenantId: by.tenantId, keyType: 'Persistent' } })
const refused = { status: 409, problem: { detail: expect.stringContaining('is being decommissioned') } }

test('the configured decommission is said at start, in the health report and the audit log, and by Deploy', async () => {
  const server = await useTestServer({ settings: { ServerLifecycle__DecommissionServer: 'true' } })
  const owner = await server.owner()
  expect(server.log.lines).toContainEqual(
    expect.objectContaining({ level: 'warn', message: expect.stringContaining('is being decommissioned') }),
  )
  const { checks, state } = await owner.applianceHealth.report({})
  expect(checks.find(({ id }) => id === 'decommission')).toMatchObject({ state: 'problem' })
  expect(state).toBe('problem')
  const { items } = await owner.applianceAuditLog.listAll({ query: { category: 'server' } })
  expect(items.map(({ kind }) => kind)).toContain('server.decommission-continued')
  await expect(deploy(owner)).rejects.toMatchObject(refused)
  const end = owner.applianceServer.decommission({ body: { isEnabled: false } })
  await expect(end).rejects.toMatchObject({ status: 409 })
})

test('the page begins a decommission with the name of the server alone, and ends it', async () => {
  const server = await useTestServer()
  const { tenantId } = await server.owner()
  const atServer = { permissionName: 'server.settings.write', scopeKind: 'Server', scopeId: null } as const
  const operator = await addMember(server, tenantId, [atServer])
  const owner = await server.signIn()
  const begin = (by: Member, serverName: string) =>
    by.applianceServer.decommission({ body: { isEnabled: true, serverName } })
  await expect(begin(operator, hostname())).rejects.toMatchObject({ status: 403 })
  await expect(begin(owner, 'something else')).rejects.toMatchObject({ status: 400 })
  const changes = [{ key: 'ServerLifecycle__DecommissionServer', value: 'true' }]
  await expect(owner.applianceServer.changeSettings({ body: { changes } })).rejects.toMatchObject({ status: 400 })
  expect(await status(owner)).toEqual({ isEnabled: false })

  expect(await begin(owner, hostname())).toEqual({ isEnabled: true })
  await expect(deploy(owner)).rejects.toMatchObject(refused)
  const agent = await enroll(owner)
  const connection = await agent.open(server.url)
  expect(await connection.UpdateDeviceSigned(agent.signed(agent.report()))).toMatchObject({
    isSuccess: false,
    reason: 'Server is decommissioned.',
  })
  await connection.connection.stop()

  await server.restart()
  expect(await status(owner)).toEqual({ isEnabled: true })
  await owner.applianceServer.decommission({ body: { isEnabled: false } })
  expect(await status(owner)).toEqual({ isEnabled: false })
  const { items } = await owner.applianceAuditLog.listAll({ query: { category: 'server' } })
  expect(items.map(({ kind }) => kind).filter((kind) => kind.includes('decommission'))).toEqual([
    'server.decommission-ended',
    'server.decommission-continued',
    'server.decommission-began',
  ])
})
