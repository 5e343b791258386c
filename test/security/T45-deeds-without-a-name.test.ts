import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { connectViewer } from '../support/hub-client.ts'
import { recordingAgent, type RecordingAgent } from '../support/recording-agent.ts'
import { addMember, addUser } from '../support/people.ts'
import { callerOf, startSession } from '../support/session.ts'
import { account, integrator, useTestServer, Visitor, type Member } from '../support/server.ts'
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

/** Question that the agent was told to ask the person. */
function askedOf({ told }: RecordingAgent): object {
  const [, question] = told.find(([method]) => method === 'ReceiveDto')!
  return JSON.parse(Buffer.from((question as { payload: string }).payload, 'base64').toString()) as object
}

test('a link in the name of another user names its maker to the person at the device, in sessions and in the audit log', async () => {
  const server = await useTestServer()
  const { tenantId } = await server.owner()
  const permissions = ['device.read', 'device.terminal.use', 'device.ctrl-alt-del.send'] as const
  const bob = await addMember(server, tenantId, ['device.logon-token.create', ...permissions])
  const owner = await server.signIn()
  const agent = await recordingAgent(owner)
  await agent.SendConsentAnswers({ standing: [], alwaysAsk: [] })
  const { deviceAccessUrl } = await bob.logonTokens.createForUser({
    body: { tenantId, deviceId: agent.id, userId: owner.user.id, permissions: [...permissions] },
  })
  const visitor = new Visitor(server.url)
  await visitor.openLink(deviceAccessUrl)
  const viewer = await connectViewer(visitor)
  await viewer.CreateTerminalSession2({ deviceId: agent.id, terminalId: randomUUID() })
  const name = `${account.email}, by a link of ${bob.user.email}`
  expect(askedOf(agent)).toMatchObject({ visitorName: name })
  await viewer.InvokeCtrlAltDel(agent.id, 7, 1)
  expect(agent.told.find(([method]) => method === 'InvokeCtrlAltDel')).toEqual([
    'InvokeCtrlAltDel',
    expect.objectContaining({ invokerUserName: name }),
  ])
  expect((await owner.applianceRemoteSessions.list({})).items).toMatchObject([{ principalName: name }])
  const sentences = await until(async () => {
    const { items } = await owner.applianceAuditLog.listAll({ query: {} })
    const all = items.map(({ sentence }) => sentence)
    return all.some((sentence) => sentence.includes('started a session')) && all
  })
  expect(sentences).toContainEqual(
    expect.stringMatching(`^${bob.user.email} created a logon link to .* for ${account.email}$`),
  )
  expect(sentences).toContainEqual(expect.stringMatching(`^${name} opened .* with a logon link$`))
  expect(sentences).toContainEqual(expect.stringMatching(`^${name} started a session`))
})

test('a service account that is called like a person is named as a service account at the device', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const agent = await recordingAgent(owner)
  await agent.SendConsentAnswers({ standing: [], alwaysAsk: [] })
  const { id: serviceAccountId } = await owner.serverServiceAccounts.create({
    body: { name: 'Ada Lovelace', accessMode: 'Unrestricted' },
  })
  const { plainTextSecretKey } = await owner.serverServiceAccounts.createCredential({
    params: { serviceAccountId },
    body: { name: 'key' },
  })
  const program = await connectViewer(new Visitor(server.url), { headers: { 'x-api-key': plainTextSecretKey } })
  await program.CreateTerminalSession2({ deviceId: agent.id, terminalId: randomUUID() })
  expect(askedOf(agent)).toMatchObject({ visitorName: 'Ada Lovelace (service account)' })
  const message = 'Please type your password into the next window.'
  await program.SendChatMessage2({
    deviceId: agent.id,
    sessionId: randomUUID(),
    targetProcessId: 7,
    message,
    timestamp: '2026-01-02T03:04:05Z',
  })
  const [, shown] = agent.told.find(([method]) => method === 'SendChatMessage')!
  expect(shown).toMatchObject({ message, senderName: 'Ada Lovelace (service account)' })
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

const hidden = ['\u034f', '\u061c', '\u115f', '\u17b4', '\u200b', '\u2800', '\u3164', '\u{e0041}']
const lettersInWords = ['\u180b', '\u200c', '\u200d', '\ufe0f', '\u{e0100}']

test('a name with invisible characters, or with nothing to see, is rejected', async () => {
  const server = await useTestServer()
  const { tenantId, userPreferences } = await server.owner()
  const set = (value: string) => userPreferences.set({ tenantId, body: { name: 'user-display-name', value } })
  for (const name of [...hidden.map((mark) => `Ada${mark} Lovelace`), ...lettersInWords]) {
    expect([name, await set(name).catch(({ status }: { status: number }) => status)]).toEqual([name, 400])
  }
  for (const name of ['فاطمه\u200cزهرا', 'क\u094d\u200dष', '辻\u{e0100}']) {
    expect(await set(name)).toMatchObject({ value: name })
  }
})

test('names of a colleague and of guests that look like the name of somebody else have the sign-in name beside them', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { tenantId } = owner
  const agent = await recordingAgent(owner)
  const colleague = await addUser(server, owner, ['Device Superuser'])
  const set = (by: Member, value: string) =>
    by.userPreferences.set({ tenantId, body: { name: 'user-display-name', value } })
  const open = async (visitor: Visitor) => {
    const viewer = await connectViewer(visitor)
    await viewer.CreateTerminalSession(agent.id, randomUUID())
  }
  const names = async () =>
    (await owner.applianceRemoteSessions.list({})).items.map(({ principalName }) => principalName)
  await set(owner, 'Ada Lovelace')
  await open(colleague)
  for (const mark of ['', ...lettersInWords]) {
    await set(colleague, `Ada${mark} Lovelace`)
    expect(await names()).toEqual([`Ada${mark} Lovelace (${colleague.user.email})`])
  }
  const share = async (userCorrelationId: string, userDisplayName: string) => {
    const permissions = ['device.terminal.use' as const]
    const body = { tenantId, deviceId: agent.id, userCorrelationId, userDisplayName, permissions }
    const { deviceAccessUrl } = await owner.logonTokens.createForExternalUser({ body })
    const guest = server.visitor()
    await guest.openLink(deviceAccessUrl)
    await open(guest)
  }
  await share('joiner', 'Ada Love\u200dlace')
  await share('filler', 'Ada\u3164Lovelace')
  await share('blank', '\u2800')
  // A guest without a name is known by who made the link.
  const maker = `, by a link of ${owner.user.email}`
  expect((await names()).slice(1)).toEqual([
    'Ada Love\u200dlace (ext-joiner)',
    `ext-filler${maker}`,
    `ext-blank${maker}`,
  ])
})
