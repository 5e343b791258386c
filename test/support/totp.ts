import { Secret, TOTP } from 'otpauth'
import type { Clock } from '../../server/clock.ts'
import type { Visitor } from './server.ts'

/** What the authenticator app shows for a key now, or some steps of half a minute from now. */
export const appCode = (sharedKey: string, clock: Clock, steps = 0): string =>
  TOTP.generate({ secret: Secret.fromBase32(sharedKey), timestamp: clock.now() + steps * 30_000 })

/** Turns two-factor authentication on, as an app does. */
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
