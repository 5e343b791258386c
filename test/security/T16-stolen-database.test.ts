import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Secret } from 'otpauth'
import { beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../server/ground/clock.ts'
import { installerKey, TestAgent } from '../support/agent.ts'
import { startMailServer } from '../support/mail.ts'
import { addPasskey, pageMember } from '../support/passkeys.ts'
import { addServerAccount } from '../support/people.ts'
import { account, integrator, serverForFile, startTestServer, type Member, type TestServer } from '../support/server.ts'
import { appCode } from '../support/totp.ts'

const server = serverForFile({ settings: { AppOptions__EnableInteractiveBearerLogin: 'true' } })
let owner: Member
let plainTextToken: string

beforeAll(async () => {
  owner = await server.owner()
})

/** All values in the tables of a PostgreSQL database, as in a dump. */
async function valuesOf(server: TestServer): Promise<Buffer> {
  const tables = await server.rows<{ name: string }>(
    'SELECT quote_ident(table_schema) || CHR(46) || quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema NOT IN (?, ?)',
    'information_schema',
    'pg_catalog',
  )
  const values: Buffer[] = []
  for (const { name } of tables) {
    for (const row of await server.rows<object>(`SELECT * FROM ${name}`)) {
      const texts = Object.values(row).map((value: unknown) =>
        value instanceof Buffer ? value : JSON.stringify(value),
      )
      values.push(...texts.map((text) => Buffer.from(text)))
    }
  }
  return Buffer.concat(values)
}

/** Data of a server as a thief gets them: the file of the database with its log, or a dump of its tables. */
async function stolenFrom(server: TestServer): Promise<Buffer> {
  if (server.database) {
    return valuesOf(server)
  }
  const { directory } = server
  const files = (await readdir(directory)).filter((name) => /\.db(-wal)?$/.test(name))
  expect(files.length).toBeGreaterThan(0)
  return Buffer.concat(await Promise.all(files.map((name) => readFile(join(directory, name)))))
}

test('a stolen database holds no password, token, session, recovery code or authenticator key', async () => {
  const { sharedKey } = await owner.applianceAccount.setUpTwoFactor({})
  const body = { twoFactorCode: appCode(sharedKey, systemClock) }
  const { recoveryCodes } = await owner.applianceAccount.enableTwoFactor({ body })
  plainTextToken = (await owner.applianceAccount.createToken({ body: { name: 'export' } })).plainTextToken
  const twoFactorRecoveryCode = recoveryCodes[0]!
  const tokens = (await owner.identity.login({ query: {}, body: { ...account, twoFactorRecoveryCode } }))!
  const { items } = await owner.applianceAccount.listSignIns({})
  const { id } = items.find(({ kind }) => kind === 'BearerTokens')!

  const secrets: Record<string, string> = {
    password: account.password,
    'authenticator key': sharedKey,
    'token secret': plainTextToken.split(':').at(-1)!,
    session: owner.cookie!.split('=').at(-1)!,
    'page key': owner.pageKey ?? owner.cookie!,
    'access token': tokens.accessToken,
    'refresh token': tokens.refreshToken,
    ...Object.fromEntries(
      recoveryCodes.flatMap((code) => [code, code.replaceAll('-', '')]).map((code) => [code, code]),
    ),
  }
  const stolen = await stolenFrom(server)
  expect(stolen.includes(id)).toBe(true)
  for (const [name, secret] of Object.entries(secrets)) {
    expect(stolen.includes(secret), name).toBe(false)
  }
  const rawKey = Buffer.from(Secret.fromBase32(sharedKey).buffer)
  expect(stolen.includes(rawKey)).toBe(false)
})

test('a hash from the database is not accepted in place of its secret', async () => {
  const [session] = await server.rows<{ tokenHash: string }>('SELECT tokenHash FROM sessions')
  const thief = server.visitor()
  thief.cookie = `${owner.cookie!.split('=')[0]}=${session!.tokenHash}`
  thief.pageKey = owner.pageKey
  await expect(thief.auth.me({})).rejects.toMatchObject({ status: 401 })
  const [token] = await server.rows<{ secretHash: string }>('SELECT secretHash FROM personal_access_tokens')
  const program = integrator(server.url, { 'x-personal-token': `${plainTextToken.split(':')[0]}:${token!.secretHash}` })
  await expect(program.auth.me({})).rejects.toMatchObject({ status: 401 })
  const [code] = await server.rows<{ codeHash: string }>('SELECT codeHash FROM recovery_codes')
  const body = { ...account, twoFactorRecoveryCode: code!.codeHash.slice(0, 100) }
  expect((await server.visitor().applianceSession.signIn({ body })).user).toBeNull()
})

test('a stolen database holds no code, link, key, ticket or secret of a provider', async () => {
  const mail = await startMailServer()
  const provider = { ClientId: 'client-of-github', ClientSecret: 'secret-of-github' }
  const named = Object.entries(provider).map(([name, value]) => [`AppOptions__IdentityProviderB${name}`, value])
  const mailing = await startTestServer({ settings: { ...mail.settings, ...Object.fromEntries(named) } })
  await mailing.owner()
  const member = await pageMember(mailing)
  const { tenantId } = member
  const confirmation = await mail.next(account.email)
  await fetch(/https?:\S+/.exec(confirmation.text)![0])
  await mailing.visitor().applianceSession.requestPasswordReset({ body: { email: account.email } })
  const reset = await mail.next(account.email, 'Reset')
  const codeOf = ({ text }: { text: string }) => /[?&]code=([^&\s]+)/.exec(text)![1]!

  const addition = await member.appliancePasskeys.additionOptions({})
  const { authenticator } = await addPasskey(member)
  const visit = await member.applianceIdentityProviders.begin({ params: { place: 'b' } })
  const { inviteUrl } = await member.invites.create({ tenantId, body: { inviteeEmail: 'grace@example.org' } })
  const key = await installerKey(member)
  const agent = new TestAgent(tenantId)
  await agent.register(member, key)
  const body = { tenantId, deviceId: agent.id, userCorrelationId: 'crm-7' }
  const { token } = await member.logonTokens.createForExternalUser({ body })
  const program = await addServerAccount(member)
  const { id: userId } = await member.users.create({ tenantId, body: { userName: 'linus@example.org' } })
  const { temporaryPassword } = await member.users.resetPassword({ tenantId, params: { userId } })
  const { ticket } = await member.applianceSession.issueTicket({})

  const stolen = await stolenFrom(mailing)
  const holds = (text: string) => stolen.includes(text)
  // The data hold these texts, so they are those of this server.
  expect(['grace@example.org', key.id, authenticator.id.toString('base64url')].filter((text) => !holds(text))).toEqual(
    [],
  )
  const secrets = {
    'code of a confirmation': codeOf(confirmation),
    'code of a reset': codeOf(reset),
    'challenge of a passkey': String(addition.options['challenge']),
    'ticket of a passkey': addition.ticket,
    'ticket of a provider': visit.ticket,
    'state of a provider': new URL(visit.url).searchParams.get('state')!,
    'secret of a provider': provider.ClientSecret,
    invitation: inviteUrl.split('.').at(-1)!,
    'installer key': key.keySecret,
    'logon link': token,
    'API key': program.key.split(':')[1]!,
    'temporary password': temporaryPassword,
    'page ticket': ticket,
  }
  for (const [name, secret] of Object.entries(secrets)) {
    expect([secret.length > 7, holds(secret)], name).toEqual([true, false])
  }
  await mailing.stop()
  await mail.close()
})
