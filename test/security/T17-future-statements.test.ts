/** A statement read while a clock was ahead: it neither outranks newer statements nor proves a key until its date. */
import { expect, test } from 'vitest'
import { ServerProof } from '../../agent/trust/server-proof.ts'
import { pinOf } from '../../server/engines/tls/keys.ts'
import { documentOf, leafOf, newAuthority, startIdentityServer, trustIn } from '../support/identity-server.ts'

const dayMs = 24 * 3_600_000
const clock = { now: () => Date.now() }

/** Creates an agent whose newest statement is dated ten days ahead and names this key. */
async function agentFromTheFuture(known: Awaited<ReturnType<typeof leafOf>>, authority = newAuthority()) {
  const issuedAt = new Date(Date.now() + 10 * dayMs).toISOString()
  const expiresAt = new Date(Date.now() + 12 * dayMs).toISOString()
  const trusted = trustIn(await authority, { serverPin: pinOf(known.key), issuedAt, expiresAt })
  return new ServerProof({ trusted, clock })
}

test("T17: an agent whose clock was once ahead accepts today's statement", async () => {
  const [authority, elsewhere] = [await newAuthority(), await newAuthority()]
  const [shown, replaced] = [await leafOf(elsewhere), await leafOf(elsewhere)]
  const document = documentOf(authority, shown)
  const server = await startIdentityServer(shown, document)
  const proof = await agentFromTheFuture(replaced, Promise.resolve(authority))
  const socket = await proof.connect(server.url)
  socket.destroy()
  expect(proof.trusted.serverPin).toBe(pinOf(shown.key))
  expect(Date.parse(proof.trusted.issuedAt ?? '')).toBeLessThanOrEqual(Date.now())
})

test('T17: a key that only a statement from the future names is rejected', async () => {
  const leaked = await leafOf(await newAuthority())
  const server = await startIdentityServer(leaked, undefined)
  const proof = await agentFromTheFuture(leaked)
  await expect(proof.connect(server.url)).rejects.toThrow('Another server answers')
})
