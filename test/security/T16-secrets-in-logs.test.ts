import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { makeTicket } from '../../tools/simulate/relay-ticket.ts'
import { createLog } from '../../server/ground/log.ts'
import { success } from '../../shared/dtos/hub-result.ts'
import { enroll, installerKey, TestAgent } from '../support/agent.ts'
import { startCollector } from '../support/collector.ts'
import { connectViewer } from '../support/hub-client.ts'
import { addServerAccount } from '../support/people.ts'
import { account, integrator, registerOwner, signInTo, Visitor, type Member } from '../support/server.ts'
import { joinRelay, refusedWith } from '../support/relay.ts'
import { callerOf, requestSession } from '../support/session.ts'
import { startServerProcess, temporaryFolder } from '../support/server-process.ts'
import { declared, pathOf } from '../surface/routes.ts'

const bootstrapSecret = 'bootstrap-secret-of-an-account-of-32'

/** Creates every kind of key, token and code, and uses each correctly and wrongly. */
async function secretsInUse(owner: Member, deviceId: string): Promise<Record<string, string>> {
  const { url, tenantId } = owner
  const apiKey = (await addServerAccount(owner)).key
  const { plainTextToken: accessToken } = await owner.personalAccessTokens.create({ tenantId, body: { name: 'mine' } })
  for (const [header, key] of [
    ['x-api-key', apiKey],
    ['x-personal-token', accessToken],
  ] as const) {
    expect((await integrator(url, { [header]: key }).serverStats.get({})).totalTenants).toBe(1)
    await fetch(`${url}/api/v1/server-stats`, { headers: { [header]: `${key}-wrong` } })
    await fetch(`${url}/api/v1/server-stats`, { headers: { [header]: key.replace(':', '') } })
  }
  const link = { tenantId, deviceId, userCorrelationId: 'crm-7' }
  const { token, deviceAccessUrl } = await owner.logonTokens.createForExternalUser({ body: link })
  const helper = new Visitor(url)
  await helper.fetch(`${deviceAccessUrl}-wrong`, { redirect: 'manual' })
  await helper.fetch(deviceAccessUrl, { redirect: 'manual' })
  await helper.fetch(deviceAccessUrl, { redirect: 'manual' })
  const { inviteUrl } = await owner.invites.create({ tenantId, body: { inviteeEmail: 'grace@example.org' } })
  const activationCode = inviteUrl.split('/').at(-1)!
  const invited = { email: 'grace@example.org', password: 'Invited-Horse-7' }
  await new Visitor(url).inviteAcceptance.accept({ body: { activationCode, ...invited } })
  const bearer = await new Visitor(url).identity.login({ body: invited, query: {} })
  const { accessToken: bearerToken, refreshToken } = bearer as { accessToken: string; refreshToken: string }
  await integrator(url, { authorization: `Bearer ${bearerToken}` }).auth.me({})
  await integrator(url, { authorization: `Bearer ${bearerToken}-wrong` })
    .auth.me({})
    .catch(() => {})
  const renewed = (await new Visitor(url).identity.refresh({ body: { refreshToken } })) as { accessToken: string }
  const { items } = await owner.users.list({ tenantId })
  const params = { userId: items.find(({ userName }) => userName === invited.email)!.id }
  const { temporaryPassword } = await owner.users.resetPassword({ tenantId, params })
  return {
    apiKey: apiKey.split(':')[1]!,
    accessToken: accessToken.split(':')[1]!,
    logonToken: token.split(':')[1]!,
    helperCookie: helper.cookie!.split('=')[1]!,
    activationCode,
    invitedPassword: invited.password,
    bearerToken,
    refreshToken,
    renewedToken: renewed.accessToken,
    temporaryPassword,
  }
}

/** Runs sessions, provokes all their rejections, and returns the tokens and a chat's text. */
async function relayTokens(viewer: Member, deviceId: string): Promise<Record<string, string>> {
  const caller = await callerOf(viewer)
  const [good, early, wrong] = [makeTicket(viewer.url), makeTicket(viewer.url), makeTicket(viewer.url)]
  expect((await requestSession(caller, deviceId, good)).isSuccess).toBe(true)
  expect(await refusedWith(good.responder.replace(good.token, wrong.token))).toBe(401)
  expect(await refusedWith(`${early.requester}&timeout=-1`, { ...caller.headers, cookie: '' })).toBe(401)
  expect(await refusedWith(early.responder.replace('responder', 'nobody'))).toBe(400)
  const [viewerEnd] = await Promise.all([joinRelay(good.requester, caller.headers), joinRelay(good.responder)])
  expect((await requestSession(caller, deviceId, { ...early, responder: `${early.responder}#x` })).isSuccess).toBe(
    false,
  )
  viewerEnd.socket.close()
  await viewerEnd.closed
  const said = 'said-to-the-person-at-the-device'
  const chat = {
    deviceId,
    sessionId: good.sessionId,
    targetProcessId: 1,
    message: said,
    timestamp: new Date().toISOString(),
  }
  await caller.viewer.SendChatMessage2(chat)
  await caller.viewer.connection.stop()
  return { relayToken: good.token, earlyToken: early.token, wrongToken: wrong.token, said, address: 'accessToken=' }
}

/** Responses of every route that can be read without an id. */
async function readings(owner: Member): Promise<string> {
  const lists = declared.filter(({ definition }) => definition.method === 'GET' && !definition.path.includes('/:'))
  const answers = await Promise.all(
    lists.map(async ({ definition }) => {
      const tenant = definition.tenant.startsWith('query') ? `?tenantId=${owner.tenantId}` : ''
      return (await owner.fetch(pathOf(definition) + tenant)).text()
    }),
  )
  return answers.join('\n')
}

test(
  'no secret is in the log, even at its lowest level, in what lists answer, or in exported telemetry',
  { timeout: 60_000 },
  async () => {
    const collector = await startCollector()
    const server = await startServerProcess(await temporaryFolder(), {
      Logging__LogLevel__Default: 'Trace',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      AppOptions__UseHttpLogging: 'true',
      AppOptions__EnableSignalrDetailedErrors: 'true',
      AppOptions__EnableDatabaseDetailedErrors: 'true',
      AppOptions__EnableInteractiveBearerLogin: 'true',
      AppOptions__IdentityProviderAClientSecret: 'configured-secret-of-a-provider',
      Bootstrap__ServerServiceAccountName: 'provisioning',
      Bootstrap__ServerServiceAccountTokenId: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
      Bootstrap__ServerServiceAccountTokenSecret: bootstrapSecret,
    })
    const owner = await registerOwner(server.url)
    const wrong = 'Wrong-Horse-7'
    await expect(signInTo(server.url, { password: wrong })).rejects.toThrow('was not signed in')
    const newPassword = 'Newer-Horse-8'
    await owner.auth.changePassword({ body: { currentPassword: account.password, newPassword } })
    const other = await signInTo(server.url, { password: newPassword })
    const key = await installerKey(owner)
    const agent = await enroll(owner)
    const badSecret = `${key.keySecret.slice(1)}x`
    await expect(new TestAgent(owner.tenantId).register(owner, { ...key, keySecret: badSecret })).rejects.toThrow(
      'The installer key is not valid.',
    )
    const connection = await agent.connect(server.url, {
      CreateTerminalSession: () => success,
      CreateRemoteControlSession: () => success,
      SendChatMessage: () => success,
    })
    const viewer = await connectViewer(other)
    const typed = 'export TOKEN=typed-into-a-terminal'
    const terminalId = agent.id
    await viewer.CreateTerminalSession2({ deviceId: agent.id, terminalId })
    await viewer.SendTerminalInput2({ deviceId: agent.id, input: { terminalId, input: typed } })
    const relayed = await relayTokens(other, agent.id)
    await connection.connection.stop()
    await owner.fetch('/api/auth/me?logonToken=secret-in-a-query')
    await owner.fetch('/api/v1/devices/search', { method: 'POST', body: `{"password":"${wrong}"` })
    await viewer.connection.stop()
    const made = await secretsInUse(owner, agent.id)
    const read = await readings(owner)
    await server.stop()

    const written = server.lines.join('\n')
    expect(written).toContain('Request.')
    const secrets: Record<string, string> = {
      ...made,
      bootstrapSecret,
      password: account.password,
      newPassword,
      wrong,
      keySecret: key.keySecret,
      badSecret,
      typed,
      ...relayed,
      cookie: owner.cookie!.split('=')[1]!,
      otherCookie: other.cookie!.split('=')[1]!,
      query: 'secret-in-a-query',
      configured: 'configured-secret-of-a-provider',
      hash: '$argon2id$',
    }
    const foundIn = (text: string) =>
      Object.entries(secrets).flatMap(([name, secret]) => (text.includes(secret) ? name : []))
    expect(Object.values(secrets).filter((secret) => secret.length < 8)).toEqual([])
    expect(foundIn(written)).toEqual([])
    const exported = Buffer.concat(collector.bytes).toString('latin1')
    expect(exported).toContain('Request.')
    expect(exported).toContain('POST /api/v1/devices/search')
    expect(foundIn(exported)).toEqual([])
    expect(read.length).toBeGreaterThan(1_000)
    expect(foundIn(read)).toEqual([])
  },
)

test.each([
  { password: 'hush' },
  { body: { newPassword: 'hush' } },
  { request: { headers: { cookie: 'hush', authorization: 'hush', 'x-api-key': 'hush', 'x-page-key': 'hush' } } },
  { response: { headers: { 'set-cookie': ['hush'] } } },
  { key: { keySecret: 'hush' } },
])('members that hold secrets are never written: %j', async (fields) => {
  const stream = new PassThrough()
  createLog({ default: 'Trace' }, stream).info(fields, 'message')
  stream.end()
  const line = await text(stream)
  expect(line).toContain('[redacted]')
  expect(line).not.toContain('hush')
})
