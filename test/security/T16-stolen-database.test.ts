import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Secret } from 'otpauth'
import { beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../server/clock.ts'
import { account, integrator, serverForFile, type Member } from '../support/server.ts'
import { appCode } from '../support/totp.ts'

const server = serverForFile({ settings: { AppOptions__EnableInteractiveBearerLogin: 'true' } })
let owner: Member
let plainTextToken: string

beforeAll(async () => {
  owner = await server.owner()
})

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
  const files = (await readdir(server.directory)).filter((name) => /\.db(-wal)?$/.test(name))
  expect(files.length).toBeGreaterThan(0)
  const stolen = Buffer.concat(await Promise.all(files.map((name) => readFile(join(server.directory, name)))))
  expect(stolen.includes(id)).toBe(true)
  for (const [name, secret] of Object.entries(secrets)) {
    expect(stolen.includes(secret), name).toBe(false)
  }
  const rawKey = Buffer.from(Secret.fromBase32(sharedKey).buffer)
  expect(stolen.includes(rawKey)).toBe(false)
})

test('what the database holds in place of a secret is not accepted as one', async () => {
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
