import { Secret, TOTP } from 'otpauth'
import type { Clock } from '../../server/ground/clock.ts'
import type { Visitor } from './server.ts'

/** Code of the authenticator app now, or some steps of 30 seconds from now. */
export const appCode = (sharedKey: string, clock: Clock, steps = 0): string =>
  TOTP.generate({ secret: Secret.fromBase32(sharedKey), timestamp: clock.now() + steps * 30_000 })

/** Enables two-factor authentication like an app. */
export async function enableTwoFactor(
  member: Visitor,
  clock: Clock,
): Promise<{ sharedKey: string; recoveryCodes: string[] }> {
  const { sharedKey } = await member.identity.manageTwoFactor({ body: {} })
  const { recoveryCodes } = await member.identity.manageTwoFactor({
    body: { enable: true, twoFactorCode: appCode(sharedKey, clock) },
  })
  return { sharedKey, recoveryCodes: recoveryCodes ?? [] }
}
