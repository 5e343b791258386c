import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../server/ground/clock.ts'
import { runAccountCommand, temporaryPasswordIn } from '../../support/account-command.ts'
import { addUser, createUser } from '../../support/people.ts'
import { account, registerOwner, signInTo, useTestServer, type Member, type TestServer } from '../../support/server.ts'
import { startServerProcess, temporaryFolder } from '../../support/server-process.ts'
import { enableTwoFactor } from '../../support/totp.ts'

const next = 'Newer-Horse-8'
const settings = { AppOptions__EnableInteractiveBearerLogin: 'true' }

const statusOfMe = async (member: Member) => (await member.fetch('/api/auth/me')).status
const noticesOf = async (member: Member) => (await member.applianceNotices.list({})).items.map(({ kind }) => kind)

/** Signs in with a temporary password, which asks for a new one. */
async function comeBack({ url }: Pick<TestServer, 'url'>, email: string, temporary: string) {
  const visitor = await signInTo(url, { email, password: temporary }).catch(() => undefined)
  expect(visitor).toBeUndefined()
  const anybody = await fetch(`${url}/api/auth/change-password-with-credentials`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, currentPassword: temporary, newPassword: next }),
  })
  expect(anybody.status).toBe(200)
  return signInTo(url, { email, password: next })
}

describe('beside a running server', { timeout: 90_000 }, () => {
  test('a reset password ends live sessions, is temporary, logged, and told to every administrator', async () => {
    const server = await useTestServer({ settings })
    const owner = await server.owner()
    const member = await addUser(server, owner)
    const { status, stdout } = await runAccountCommand(server.directory, 'reset-password', member.user.email)
    expect(status).toBe(0)
    const temporary = temporaryPasswordIn(stdout)
    expect([await statusOfMe(member), await statusOfMe(owner)]).toEqual([401, 200])
    const again = await comeBack(server, member.user.email, temporary)
    expect([await noticesOf(again), await noticesOf(owner)]).toEqual([
      // The person has replaced the temporary password since.
      ['password-changed', 'password-reset-by-command'],
      ['password-reset-by-command'],
    ])
    const rows = await server.rows(
      "SELECT actorName, targetName FROM audit_events WHERE kind = 'change.user-password-reset'",
    )
    expect(rows).toEqual([{ actorName: 'Somebody at the computer of this server', targetName: member.user.email }])
    expect(JSON.stringify(server.log.lines)).not.toContain(temporary)
    const line = server.log.lines.find(({ message }) => message.includes('changed by a command'))!
    expect(line.fields).toMatchObject({ actor: { type: 'system' }, userId: member.user.id, command: 'reset-password' })
  })

  test('after two-factor authentication is turned off for a lost phone, the password alone signs in', async () => {
    const server = await useTestServer({ settings })
    const owner = await server.owner()
    await enableTwoFactor(owner, systemClock)
    const { stdout } = await runAccountCommand(server.directory, 'disable-two-factor', account.email)
    expect(stdout).toContain('is off')
    expect(await statusOfMe(owner)).toBe(401)
    const again = await server.signIn()
    expect(again.user.twoFactorEnabled).toBe(false)
    expect(await server.rows('SELECT id FROM recovery_codes')).toEqual([])
    const { status } = await runAccountCommand(server.directory, 'disable-two-factor', account.email)
    expect(status).toBe(1)
  })

  test('when the only administrator has left, another account becomes one, even one that was denied everything', async () => {
    const server = await useTestServer({ settings })
    const owner = await server.owner()
    const member = await addUser(server, owner)
    await owner.permissionAssignments.create({
      tenantId: owner.tenantId,
      body: {
        principalKind: 'User',
        principalId: member.user.id,
        permissionName: 'tenant.users.write',
        effect: 'Deny',
        scopeKind: 'Tenant',
        scopeId: owner.tenantId,
        isEnabled: true,
      },
    })
    const { stdout } = await runAccountCommand(server.directory, 'make-administrator', member.user.email)
    expect(stdout).toBe(`${member.user.email} is an administrator now.\n`)
    await member.users.delete({ tenantId: owner.tenantId, params: { userId: owner.user.id } })
    expect((await runAccountCommand(server.directory, 'list')).stdout).toMatch(
      new RegExp(`${member.user.email} +${account.organizationName} +administrator`),
    )
  })

  test('a user without a password gets one by the command while the provider is down', async () => {
    const server = await useTestServer({ settings })
    const { email } = await createUser(await server.owner())
    const { stdout } = await runAccountCommand(server.directory, 'reset-password', email)
    await comeBack(server, email, temporaryPasswordIn(stdout))
  })
})

describe('without a running server', { timeout: 90_000 }, () => {
  test('the command opens the data, and the server starts with the new password', async () => {
    const folder = await temporaryFolder()
    const first = await startServerProcess(folder)
    await registerOwner(first.url)
    await first.kill()
    const { stdout, stderr } = await runAccountCommand(folder, 'reset-password', account.email.toUpperCase())
    const second = await startServerProcess(folder)
    await comeBack(second, account.email, temporaryPasswordIn(stdout))
    expect(stderr).not.toContain(temporaryPasswordIn(stdout))
  })

  test('a folder without data is named, and stays empty', async () => {
    const folder = join(await temporaryFolder(), 'empty')
    await mkdir(folder, { mode: 0o700 })
    const { status, stderr } = await runAccountCommand(folder, 'list')
    expect([status, stderr]).toEqual([1, expect.stringContaining(`There is no data of Farhand in ${folder}.`)])
    expect(await readdir(folder)).toEqual([])
  })
})
