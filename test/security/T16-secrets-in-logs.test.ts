import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createLog } from '../../server/log.ts'
import { success } from '../../shared/dtos/hub-result.ts'
import { enrol, installerKey, TestAgent } from '../support/agent.ts'
import { connectViewer } from '../support/hub-client.ts'
import { account, registerOwner, signInTo } from '../support/server.ts'
import { startServerProcess, temporaryFolder } from '../support/server-process.ts'

test('nothing that opens anything is in what a server writes, at its most talkative', { timeout: 60_000 }, async () => {
  const server = await startServerProcess(await temporaryFolder(), {
    Logging__LogLevel__Default: 'Trace',
    AppOptions__UseHttpLogging: 'true',
    AppOptions__EnableSignalrDetailedErrors: 'true',
    AppOptions__EnableDatabaseDetailedErrors: 'true',
    AppOptions__IdentityProviderAClientSecret: 'configured-secret-of-a-provider',
  })
  const owner = await registerOwner(server.url)
  const wrong = 'Wrong-Horse-7'
  await expect(signInTo(server.url, { password: wrong })).rejects.toThrow('was not signed in')
  const newPassword = 'Newer-Horse-8'
  await owner.auth.changePassword({ body: { currentPassword: account.password, newPassword } })
  const other = await signInTo(server.url, { password: newPassword })
  const key = await installerKey(owner)
  const agent = await enrol(owner)
  const badSecret = `${key.keySecret.slice(1)}x`
  await expect(new TestAgent(owner.tenantId).register(owner, { ...key, keySecret: badSecret })).rejects.toThrow(
    'The installer key is not valid.',
  )
  const connection = await agent.connect(server.url, { CreateTerminalSession: () => success })
  const viewer = await connectViewer(other)
  const typed = 'export TOKEN=typed-into-a-terminal'
  const terminalId = agent.id
  await viewer.CreateTerminalSession2({ deviceId: agent.id, terminalId })
  await viewer.SendTerminalInput2({ deviceId: agent.id, input: { terminalId, input: typed } })
  await connection.connection.stop()
  await owner.fetch('/api/auth/me?logonToken=secret-in-a-query')
  await owner.fetch('/api/v1/devices/search', { method: 'POST', body: `{"password":"${wrong}"` })
  await viewer.connection.stop()
  await server.stop()

  const written = server.lines.join('\n')
  expect(written).toContain('Request.')
  const secrets = {
    password: account.password,
    newPassword,
    wrong,
    keySecret: key.keySecret,
    badSecret,
    typed,
    cookie: owner.cookie!.split('=')[1]!,
    otherCookie: other.cookie!.split('=')[1]!,
    query: 'secret-in-a-query',
    configured: 'configured-secret-of-a-provider',
    hash: '$argon2id$',
  }
  expect(Object.entries(secrets).flatMap(([name, secret]) => (written.includes(secret) ? name : []))).toEqual([])
})

test.each([
  { password: 'hush' },
  { body: { newPassword: 'hush' } },
  { request: { headers: { cookie: 'hush', authorization: 'hush', 'x-api-key': 'hush' } } },
  { response: { headers: { 'set-cookie': ['hush'] } } },
  { key: { keySecret: 'hush' } },
])('members that hold secrets are never written: %j', async (fields) => {
  const stream = new PassThrough()
  createLog('trace', stream).info(fields, 'message')
  stream.end()
  const line = await text(stream)
  expect(line).toContain('[redacted]')
  expect(line).not.toContain('hush')
})
