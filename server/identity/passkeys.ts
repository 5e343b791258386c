import { randomUUID } from 'node:crypto'
import { UniqueConstraintError, type Transaction } from 'sequelize'
import { z } from 'zod'
import type { AddPasskeyRequestDto, PasskeyAnswerDto } from '../../shared/dtos/passkey.ts'
import { actorOfUser } from '../ground/actor.ts'
import { beginCeremony, endCeremony } from './ceremonies.ts'
import type { CeremonyPurpose } from '../credentials/tickets.ts'
import type { App, OpenRouteCall, RouteCall, VisitorCall } from '../call/call.ts'
import { badRequest, found, unauthorized } from '../ground/errors.ts'
import { rowOf } from '../engines/database/entity.ts'
import type { PasskeyRow } from './tables.ts'
import type { UserRow } from '../people/tables.ts'
import { keptOf } from '../ground/principal.ts'
import { notifyCaller } from '../people/notices.ts'
import { changeCredentials } from './changed-credentials.ts'
import { noteSignIn, refusalOf, type SignIn } from './sign-in.ts'
import { getUser } from '../people/users.ts'
import { requireSignInMethod } from './sign-in-methods.ts'
import { additionOptions, answerOptions, passkeySiteOf, verifyAddition, verifyAnswer } from './webauthn.ts'

/** Maximum number of passkeys of one user. */
const maxPasskeys = 20

/** Facts of a challenge; `userId` is null where any passkey may sign. */
export const Challenge = z.object({
  challenge: z.string(),
  origin: z.string(),
  rpId: z.string(),
  userId: z.string().nullable(),
})

export async function listPasskeys({ app: { models }, principal }: Pick<RouteCall, 'app' | 'principal'>) {
  const rows = await models.Passkey.findAll({ where: { userId: principal.id }, order: ['createdAt', 'id'] })
  return rows.map(rowOf)
}

const recordPasskey = (
  { app, actor }: RouteCall,
  transaction: Transaction,
  change: 'added' | 'renamed' | 'removed',
  { id, name }: PasskeyRow,
) => app.audit.recordIn(transaction, actor, [{ kind: `account.passkey-${change}`, target: { kind: 'key', id, name } }])

/** Records a changed way to sign in, and notifies its user. */
async function noteChange(call: RouteCall, transaction: Transaction, change: 'added' | 'removed', passkey: PasskeyRow) {
  await recordPasskey(call, transaction, change, passkey)
  await notifyCaller(call, transaction, { kind: `passkey-${change}`, subject: passkey.name })
}

function checkNumber(passkeys: number) {
  if (passkeys >= maxPasskeys) {
    throw badRequest(`You have ${maxPasskeys} passkeys. Remove one to add another.`)
  }
}

export async function beginAddition(call: RouteCall) {
  const site = passkeySiteOf(call.siteOrigin())
  const user = await getUser(call, call.principal.id)
  const known = await listPasskeys(call)
  checkNumber(known.length)
  const here = known.filter(({ rpId }) => rpId === site.rpId)
  const options = await additionOptions(call.app, site, user, here)
  const { challenge } = options
  return {
    options: { ...options },
    ticket: beginCeremony(call, 'passkey-addition', { ...site, challenge, userId: user.id }),
  }
}

/** Builds a passkey of a user from a verified credential. */
export const newPasskey = (
  { clock }: App,
  userId: string,
  name: string,
  verified: Awaited<ReturnType<typeof verifyAddition>>,
): PasskeyRow => ({ id: randomUUID(), userId, name, createdAt: clock.now(), lastUsedAt: null, ...verified })

/** Adds a passkey. Ends every other credential of the user, like each change of factors. */
export async function addPasskey(
  call: RouteCall,
  { ticket, name, credential }: AddPasskeyRequestDto,
): Promise<PasskeyRow> {
  const { app, principal } = call
  const expected = await endCeremony(
    call,
    'passkey-addition',
    Challenge.extend({ userId: z.literal(principal.id) }),
    ticket,
  )
  const verified = await verifyAddition(app, credential, expected)
  const row = newPasskey(app, principal.id, name, verified)
  const together = async (transaction: Transaction) => {
    checkNumber(await app.models.Passkey.count({ where: { userId: principal.id }, transaction }))
    await app.models.Passkey.create(row, { transaction })
    await noteChange(call, transaction, 'added', row)
  }
  try {
    await changeCredentials(app, principal.id, {}, { kept: keptOf(principal), together })
  } catch (error) {
    throw error instanceof UniqueConstraintError ? badRequest('This passkey is known already.') : error
  }
  return row
}

const findPasskey = async ({ app: { models }, principal }: RouteCall, id: string, transaction: Transaction) => {
  return found(await models.Passkey.findOne({ where: { id, userId: principal.id }, transaction }), 'passkey')
}

export async function renamePasskey(call: RouteCall, id: string, name: string): Promise<void> {
  await call.app.database.write(async (transaction) => {
    const passkey = await findPasskey(call, id, transaction)
    await passkey.update({ name }, { transaction })
    await recordPasskey(call, transaction, 'renamed', passkey)
  })
}

/** Removes a passkey, unless it is the last way in. Ends every other credential of the user. */
export async function removePasskey(call: RouteCall, id: string): Promise<void> {
  const { app, principal } = call
  const together = async (transaction: Transaction) => {
    const passkey = await findPasskey(call, id, transaction)
    await passkey.destroy({ transaction })
    await requireSignInMethod(app, principal.id, transaction)
    await noteChange(call, transaction, 'removed', passkey)
  }
  await changeCredentials(app, principal.id, {}, { kept: keptOf(principal), together })
}

async function beginAnswer(
  call: OpenRouteCall,
  purpose: CeremonyPurpose,
  { userId, allowed }: { userId: string | null; allowed?: readonly PasskeyRow[] },
) {
  const site = passkeySiteOf(call.siteOrigin())
  const options = await answerOptions(site, allowed)
  return {
    options: { ...options },
    ticket: beginCeremony(call, purpose, { ...site, challenge: options.challenge, userId }),
  }
}

/** Begins a sign-in: a challenge for any passkey of the site. */
export const beginPasskeySignIn = (call: OpenRouteCall) => beginAnswer(call, 'passkey-sign-in', { userId: null })

/** Begins a proof of the caller's identity: a challenge for the caller's passkeys. */
export async function beginPasskeyProof(call: RouteCall) {
  const { rpId } = passkeySiteOf(call.siteOrigin())
  const allowed = (await listPasskeys(call)).filter((passkey) => passkey.rpId === rpId)
  if (allowed.length === 0) {
    throw badRequest('You have no passkey for this address. Confirm in another way.')
  }
  return beginAnswer(call, 'passkey-proof', { userId: call.principal.id, allowed })
}

/** Checks a passkey's answer, and returns its user; undefined for a wrong answer, which is logged. */
async function checkAnswer(
  call: Pick<OpenRouteCall, 'app' | 'pageKey'>,
  purpose: CeremonyPurpose,
  { ticket, credential }: PasskeyAnswerDto,
): Promise<UserRow | undefined> {
  const { app } = call
  const expected = await endCeremony(call, purpose, Challenge, ticket)
  const found = await app.models.Passkey.findOne({ where: { credentialId: credential.id } })
  const { userHandle } = credential.response
  const isOfUser = (id: string) => !userHandle || Buffer.from(userHandle, 'base64url').toString() === id
  if (!found || !isOfUser(found.userId) || (expected.userId !== null && found.userId !== expected.userId)) {
    return undefined
  }
  const passkey = rowOf(found)
  // Read before the passkey is used: a session does not begin if credentials change meanwhile.
  const user = await getUser(call, passkey.userId)
  const counter = await verifyAnswer(app, passkey, credential, expected)
  return counter !== undefined && (await isNewUse(app, passkey, counter)) ? user : undefined
}

/** Stores a use. Of two simultaneous answers with one counter only the first counts: one comes from a copy. */
async function isNewUse({ database, models, clock }: App, { id, counter: before }: PasskeyRow, counter: number) {
  const [used] = await database.write((transaction) =>
    models.Passkey.update({ counter, lastUsedAt: clock.now() }, { where: { id, counter: before }, transaction }),
  )
  return used === 1
}

/**
 * Signs in with a passkey, which counts as two factors. A lock after wrong passwords does not apply: signatures cannot
 * be guessed. Throws 401.
 */
export async function signInWithPasskey(call: VisitorCall, answer: PasskeyAnswerDto): Promise<SignIn> {
  const { app, actor } = call
  const user = await checkAnswer(call, 'passkey-sign-in', answer)
  if (!user) {
    await app.audit.record(actor, { kind: 'sign-in.passkey', outcome: 'failure', details: { reason: 'Failed' } })
    throw unauthorized('This passkey is not known here, or its answer is wrong. Sign in another way.')
  }
  const refusal = refusalOf(app, user)
  if (refusal) {
    await app.audit.record(actorOfUser(actor, user), {
      kind: 'sign-in.passkey',
      outcome: 'failure',
      details: { reason: refusal },
    })
    return { refusal }
  }
  return noteSignIn(call, user, { kind: 'sign-in.passkey' })
}

export const isProvedByPasskey = async (call: RouteCall, answer: PasskeyAnswerDto): Promise<boolean> =>
  (await checkAnswer(call, 'passkey-proof', answer))?.id === call.principal.id
