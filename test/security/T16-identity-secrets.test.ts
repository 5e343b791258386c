import { expect, test } from 'vitest'
import { systemClock } from '../../server/ground/clock.ts'
import { linkIn, useMailServer } from '../support/mail.ts'
import { account, registerOwner, Visitor } from '../support/server.ts'
import { startServerProcess, temporaryFolder } from '../support/server-process.ts'
import { enableTwoFactor } from '../support/totp.ts'

test('no code, token or link of an account is in the log of the server', { timeout: 60_000 }, async () => {
  const mail = await useMailServer()
  const server = await startServerProcess(await temporaryFolder(), {
    ...mail.settings,
    AppOptions__EnableInteractiveBearerLogin: 'true',
    Logging__LogLevel__Default: 'Trace',
    AppOptions__UseHttpLogging: 'true',
    AppOptions__EnableDatabaseDetailedErrors: 'true',
  })
  const owner = await registerOwner(server.url)
  const confirmation = linkIn(await mail.next(account.email))
  await owner.fetch(confirmation.href)
  await owner.fetch(confirmation.href)
  const { sharedKey, recoveryCodes } = await enableTwoFactor(owner, systemClock)
  const visitor = new Visitor(server.url)
  const signIn = { email: account.email, password: account.password, twoFactorRecoveryCode: recoveryCodes[0] }
  const { tokens } = await visitor.auth.interactiveLogin({ body: signIn })
  const { accessToken, refreshToken } = await visitor.identity.refresh({
    body: { refreshToken: tokens!.refreshToken },
  })
  await visitor.fetch('/api/auth/me', { headers: { authorization: `Bearer ${accessToken}` } })
  await visitor.fetch(`/api/auth/me?access_token=${accessToken}`)
  await visitor.identity.forgotPassword({ body: { email: account.email } })
  const resetCode = linkIn(await mail.next(account.email, 'Reset your password')).searchParams.get('code')!
  const reset = { email: account.email, resetCode, newPassword: 'Newer-Horse-8' }
  await visitor.auth.completePasswordReset({ body: reset })
  await expect(visitor.auth.completePasswordReset({ body: reset })).rejects.toMatchObject({ status: 400 })
  // A failing mail server makes the server log the mail.
  await mail.close()
  await visitor.identity.forgotPassword({ body: { email: account.email } })
  await server.stop()

  const written = server.lines.join('\n')
  expect(written).toContain('A mail could not be sent.')
  const secrets = {
    sharedKey,
    recoveryCode: recoveryCodes[0]!,
    unusedRecoveryCode: recoveryCodes[1]!,
    accessToken,
    refreshToken,
    firstAccessToken: tokens!.accessToken,
    firstRefreshToken: tokens!.refreshToken,
    confirmationCode: confirmation.searchParams.get('code')!,
    resetCode,
    issuedResetCode: Buffer.from(resetCode, 'base64url').toString(),
    newPassword: reset.newPassword,
    link: '/Account/ResetPassword',
  }
  expect(Object.entries(secrets).flatMap(([name, secret]) => (written.includes(secret) ? name : []))).toEqual([])
})
