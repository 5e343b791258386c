import { expect, test } from 'vitest'
import { recordingAgent } from '../support/recording-agent.ts'
import { addUser } from '../support/people.ts'
import { callerOf, startSession } from '../support/session.ts'
import { account, integrator, useTestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

test('a service account and a guest never begin an entry as somebody else does', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { tenantId } = owner
  const agent = await recordingAgent(owner)
  const { id: serviceAccountId } = await owner.serverServiceAccounts.create({
    body: { name: account.email, accessMode: 'Unrestricted' },
  })
  const { plainTextSecretKey } = await owner.serverServiceAccounts.createCredential({
    params: { serviceAccountId },
    body: { name: 'key' },
  })
  const program = integrator(server.url, { 'x-api-key': plainTextSecretKey })
  await program.tags.create({ tenantId, body: { name: 'by-a-program' } })
  const guest = { tenantId, deviceId: agent.id, userCorrelationId: 'x', userDisplayName: 'The server' }
  const { deviceAccessUrl } = await owner.logonTokens.createForExternalUser({ body: guest })
  await server.visitor().openLink(deviceAccessUrl)
  const { items } = await owner.applianceAuditLog.listAll({ query: { limit: 500 } })
  const of = (actorKind: string) => items.filter((event) => event.actorKind === actorKind)
  expect(of('guest').map(({ sentence }) => sentence)).toEqual([
    expect.stringMatching(/^The guest “The server” opened /) as string,
  ])
  expect(of('service-account').map(({ sentence }) => sentence)).toContain(
    `The service account “${account.email}” created the tag by-a-program`,
  )
  expect(items.filter(({ sentence }) => sentence.startsWith('The server')).map(({ actorKind }) => actorKind)).toEqual(
    of('system').map(({ actorKind }) => actorKind),
  )
})

test('a session that another person ends is an entry of that person, with the owner of the session', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const agent = await recordingAgent(owner)
  const member = await addUser(server, owner, ['Device Superuser'])
  const { ticket } = await startSession(await callerOf(member), agent)
  await owner.applianceRemoteSessions.end({ params: { sessionId: ticket.sessionId }, body: {} })
  const cut = await until(
    async () => (await owner.applianceAuditLog.listAll({ query: { kind: 'session.cut' } })).items[0],
  )
  expect(cut).toMatchObject({ actorId: owner.user.id, targetId: member.user.id, targetName: member.user.email })
  expect(cut.sentence).toMatch(/^ada@example\.org ended a session \(remote control\) of /)
})
