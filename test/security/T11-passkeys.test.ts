import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Authenticator } from '../support/authenticator.ts'
import { manualClock } from '../support/clock.ts'
import { addPasskey, pageMember, pageVisitor, signInWithPasskey } from '../support/passkeys.ts'
import { serverForFile, type Member, type Visitor } from '../support/server.ts'

const minute = 60_000
const clock = manualClock()
const server = serverForFile({ clock })
let owner: Member
let authenticator: Authenticator
beforeAll(async () => {
  await server.owner()
  owner = await pageMember(server)
  authenticator = (await addPasskey(owner)).authenticator
})
beforeEach(() => clock.advance(minute))

const rejected = { status: 401, message: expect.stringContaining('is not known here, or its answer is wrong') }
const expired = { status: 400, message: expect.stringContaining('has expired, or was begun in another browser') }

async function begun(visitor: Visitor) {
  const { ticket, options } = await visitor.appliancePasskeys.signInOptions({})
  return { ticket, credential: authenticator.sign({ ticket, options }, { origin: visitor.url }) }
}

describe('a challenge', () => {
  test('works once', async () => {
    const visitor = pageVisitor(server)
    const body = await begun(visitor)
    await visitor.appliancePasskeys.signIn({ body })
    await expect(visitor.appliancePasskeys.signIn({ body })).rejects.toMatchObject(expired)
  })

  test('works once, also where the server restarts in between', async () => {
    const visitor = pageVisitor(server)
    const [used, unused] = [await begun(visitor), await begun(visitor)]
    await visitor.appliancePasskeys.signIn({ body: used })
    await server.restart()
    const again = Object.assign(pageVisitor(server), { pageKey: visitor.pageKey })
    await expect(again.appliancePasskeys.signIn({ body: used })).rejects.toMatchObject(expired)
    await again.appliancePasskeys.signIn({ body: unused })
    await expect(again.appliancePasskeys.signIn({ body: unused })).rejects.toMatchObject(expired)
  })

  test('is used up by a wrong answer', async () => {
    const visitor = pageVisitor(server)
    const body = await begun(visitor)
    const signature = Buffer.from('wrong').toString('base64url')
    const wrong = { ...body.credential, response: { ...body.credential.response, signature } }
    await expect(
      visitor.appliancePasskeys.signIn({ body: { ticket: body.ticket, credential: wrong } }),
    ).rejects.toMatchObject(rejected)
    await expect(visitor.appliancePasskeys.signIn({ body })).rejects.toMatchObject(expired)
  })

  test('belongs to the page that began', async () => {
    const body = await begun(pageVisitor(server))
    await expect(pageVisitor(server).appliancePasskeys.signIn({ body })).rejects.toMatchObject(expired)
  })

  test('expires after ten minutes', async () => {
    const visitor = pageVisitor(server)
    const body = await begun(visitor)
    clock.advance(10 * minute)
    await expect(visitor.appliancePasskeys.signIn({ body })).rejects.toMatchObject(expired)
  })

  test('of a proof does not sign in', async () => {
    const { ticket, options } = await owner.applianceSession.passkeyOptions({})
    const credential = authenticator.sign({ ticket, options }, { origin: owner.url })
    await expect(owner.appliancePasskeys.signIn({ body: { ticket, credential } })).rejects.toMatchObject(expired)
  })

  test('is not issued without a page key', async () => {
    const visitor = pageVisitor(server)
    visitor.pageKey = undefined
    await expect(visitor.appliancePasskeys.signInOptions({})).rejects.toMatchObject({ status: 400 })
  })
})

describe('an answer is rejected, always with the same text,', () => {
  const signIn = async (signer: Authenticator, behavior: object = {}) => {
    const visitor = pageVisitor(server)
    const { ticket, options } = await visitor.appliancePasskeys.signInOptions({})
    const credential = signer.sign({ ticket, options }, { origin: visitor.url, ...behavior })
    return visitor.appliancePasskeys.signIn({ body: { ticket, credential } })
  }

  test('of an unknown passkey', async () => {
    await expect(signIn(new Authenticator())).rejects.toMatchObject(rejected)
  })

  test('without user verification', async () => {
    await expect(signIn(authenticator, { isUserVerified: false })).rejects.toMatchObject(rejected)
  })

  test('made for another origin or host', async () => {
    await expect(signIn(authenticator, { origin: 'http://localhost:1' })).rejects.toMatchObject(rejected)
    await expect(signIn(authenticator, { rpId: 'example.org' })).rejects.toMatchObject(rejected)
  })

  test('with a counter that does not grow: the authenticator was copied', async () => {
    await signIn(authenticator)
    authenticator.counter -= 1
    await expect(signIn(authenticator)).rejects.toMatchObject(rejected)
    await signIn(authenticator)
  })

  test('with the counter of another answer that is checked at the same time', async () => {
    const { counter } = authenticator
    const visitors = [pageVisitor(server), pageVisitor(server)]
    const bodies: Awaited<ReturnType<typeof begun>>[] = []
    for (const visitor of visitors) {
      authenticator.counter = counter
      bodies.push(await begun(visitor))
    }
    const answers = visitors.map((visitor, index) => visitor.appliancePasskeys.signIn({ body: bodies[index]! }))
    const statuses = (await Promise.allSettled(answers)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('in the name of another user', async () => {
    const { userHandle } = authenticator
    authenticator.userHandle = Buffer.from('somebody').toString('base64url')
    await expect(signIn(authenticator)).rejects.toMatchObject(rejected)
    authenticator.userHandle = userHandle
  })
})

test('answers of one address are limited too, right or wrong', async () => {
  const visitor = pageVisitor(server)
  const body = await begun(visitor)
  const attempts = Array.from({ length: 21 }, () => visitor.appliancePasskeys.signIn({ body }))
  const outcomes = await Promise.allSettled(attempts)
  const statuses = outcomes.map(
    (outcome) => outcome.status === 'rejected' && (outcome.reason as { status: number }).status,
  )
  expect(statuses).toContain(429)
})

test('the twenty-first attempt of a minute from one address gets 429', async () => {
  const attempts = Array.from({ length: 21 }, () => pageVisitor(server).appliancePasskeys.signInOptions({}))
  const outcomes = await Promise.allSettled(attempts)
  const failed = outcomes.filter(({ status }) => status === 'rejected')
  expect(failed).toMatchObject([{ reason: { status: 429 } }])
  clock.advance(minute)
  expect(await signInWithPasskey(pageVisitor(server), authenticator)).toMatchObject({ user: {} })
})
