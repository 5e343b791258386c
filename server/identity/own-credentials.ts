import type { PasskeyAnswerDto } from '../../shared/dtos/passkey.ts'
import { lockout } from '../../shared/dtos/user.ts'
import type { App, Call, RouteCall } from '../call/call.ts'
import { badRequest, invalid } from '../ground/errors.ts'
import type { UserRow } from '../people/tables.ts'
import { keptOf } from '../ground/principal.ts'
import { isProvedByPasskey } from './passkeys.ts'
import { isMissing, useSecondFactor, type SecondFactor } from './second-factor.ts'
import { checkPassword, setPassword, type Refusal } from './sign-in.ts'
import { getUser, userTarget } from '../people/users.ts'
import { counterOfCredential, type Counter } from './lockout.ts'

/*
 * Proofs that signed-in users give of themselves. Wrong answers count per credential: they end no session and lock no
 * other sign-in.
 */

/** Serializes the caller's attempts, and passes the user's current row to `work`. */
async function serialize<T>(call: Call, work: (user: UserRow, counter: Counter) => Promise<T>): Promise<T> {
  const { app, principal } = call
  const { id, email } = await getUser(call, principal.id)
  return app.signInAttempts.serialize(email, async () =>
    work(await getUser(call, id), counterOfCredential(app, id, principal.credential)),
  )
}

/** Sets a new password after checking the current one. Ends every other credential of the user. */
export const changePassword = (call: Call, current: string, next: string): Promise<Refusal | undefined> =>
  serialize(call, async (user, counter) => {
    const refusal = await checkPassword(counter, user, current)
    if (!refusal) {
      await counter.clear()
      await setPassword(call, user, next, { kept: keptOf(call.principal) })
    } else {
      await call.app.audit.record(call.actor, {
        kind: 'account.password-changed',
        outcome: 'failure',
        target: userTarget(user),
        details: { reason: refusal },
      })
    }
    return refusal
  })

async function checkFactor(app: App, counter: Counter, user: UserRow, factor: SecondFactor) {
  if (counter.isLocked()) {
    return 'LockedOut'
  }
  return (await useSecondFactor(app, user, factor)) ? undefined : counter.fail()
}

/** Consumes a code of the caller's authenticator app. */
export const proveAppCode = (call: Call, twoFactorCode: string): Promise<boolean> =>
  serialize(call, async (user, counter) => {
    const refusal = await checkFactor(call.app, counter, user, { twoFactorCode })
    if (!refusal) {
      await counter.clear()
    }
    return !refusal
  })

const lockedOut = `was wrong too often; try again in ${lockout.minutes} minutes`

interface ProofAnswer extends SecondFactor {
  password?: string | undefined
  passkey?: PasskeyAnswerDto | undefined
}

/** Checks the password or, with two-factor authentication on, a code. */
const checkProof = (call: Call, answer: ProofAnswer) =>
  serialize(call, async (user, counter) => {
    const { password } = answer
    const wrong =
      password !== undefined
        ? await checkPassword(counter, user, password)
        : user.isTwoFactorEnabled
          ? await checkFactor(call.app, counter, user, answer)
          : await counter.fail()
    if (!wrong) {
      await counter.clear()
    }
    return wrong
  })

const recordProof = ({ app, actor }: Call, refusal: Refusal | undefined) =>
  app.audit.record(actor, {
    kind: 'sign-in.proof',
    outcome: refusal ? 'failure' : 'success',
    details: { reason: refusal ?? null },
  })

/**
 * Proves that the user of a session is present: by the password, a passkey or, with two-factor authentication on, a
 * code. Throws 400 for a wrong answer, but ends no session.
 */
export async function proveSession(call: RouteCall, answer: ProofAnswer): Promise<void> {
  const { app, principal } = call
  if (principal.credential.kind !== 'Session') {
    throw badRequest('Only the session of somebody who signed in with a browser is proved. A token or key needs none.')
  }
  const { sessionId } = principal.credential
  if (answer.passkey) {
    const isProved = await isProvedByPasskey(call, answer.passkey)
    await recordProof(call, isProved ? undefined : 'Failed')
    if (!isProved) {
      throw invalid({ passkey: ['is not yours, or its answer is wrong'] })
    }
  } else {
    const field = answer.password === undefined ? 'twoFactorCode' : 'password'
    if (answer.password === undefined && isMissing(answer)) {
      throw invalid({ password: ['is needed, or a code or passkey'] })
    }
    const refusal = await checkProof(call, answer)
    await recordProof(call, refusal)
    if (refusal) {
      throw invalid({ [field]: [refusal === 'LockedOut' ? lockedOut : 'is wrong'] })
    }
  }
  await app.sessions.prove(sessionId)
}
