import { execFileSync } from 'node:child_process'
import { X509Certificate, type KeyObject } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readIdentity } from '../../../agent/trust/identity-document.ts'
import { WrongIdentity, WrongTime } from '../../../agent/trust/problems.ts'
import { ServerProof } from '../../../agent/trust/server-proof.ts'
import type { PinnedServer } from '../../../agent/trust/pinned-server.ts'
import { newKey, pinOf, publicDerOf } from '../../../server/engines/tls/keys.ts'
import type { Authority } from '../../../server/engines/tls/certificates.ts'
import { fingerprintWords } from '../../../shared/fingerprint.ts'
import { filesOf } from '../../support/certificates.ts'
import {
  documentOf,
  endlessDocumentOf,
  leafOf,
  newAuthority,
  newRsaKey,
  startIdentityServer,
  trustIn,
  type IdentityServer,
} from '../../support/identity-server.ts'

const dayMs = 24 * 3_600_000

/** Certificate of the authority for another use than a server's. */
async function clientLeafOf({ certificate, key: authorityKey }: Authority) {
  const key = await newKey()
  const pem = (of: KeyObject) => of.export({ type: 'pkcs8', format: 'pem' }).toString()
  const files = await filesOf({ key: pem(key), authorityKey: pem(authorityKey), authority: certificate.toString() })
  const issuer = ['-CA', files.authority, '-CAkey', files.authorityKey]
  const made = ['-new', '-key', files.key, ...issuer, '-subj', '/CN=client', '-addext', 'extendedKeyUsage=clientAuth']
  const leaf = execFileSync('openssl', ['req', '-x509', ...made, '-addext', 'basicConstraints=CA:FALSE'], {
    encoding: 'utf8',
    stdio: 'pipe',
  })
  return { certificate: leaf, key }
}

/** Creates a proof whose clock the test controls. */
function proofOf(authority: Authority, changes: Partial<PinnedServer> = {}) {
  const clock = { aheadMs: 0, now: () => Date.now() + clock.aheadMs }
  return { clock, proof: new ServerProof({ trusted: trustIn(authority, changes), clock }) }
}

/** Connects, sends one byte, so that the server's tickets have arrived by the reply, and closes. */
async function connectOnce(proof: ServerProof, { url }: IdentityServer) {
  const socket = await proof.connect(url)
  const isResumed = socket.isSessionReused()
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  await new Promise((resolve) => socket.on('data', () => {}).on('close', resolve))
  return { isResumed }
}

const onlyAskedWho = (server: IdentityServer) =>
  server.requests.every((request) =>
    /^GET \/\.well-known\/farhand-identity\n(?:(?:host|accept|connection): .*\n?)+$/.test(request),
  )

describe('a server with an issued certificate', () => {
  test('is accepted without a request for a statement, by any name', async () => {
    const authority = await newAuthority()
    const server = await startIdentityServer(await leafOf(authority), undefined)
    const { proof } = proofOf(authority)
    await connectOnce(proof, server)
    await connectOnce(proof, { ...server, url: server.url.replace('127.0.0.1', 'localhost') })
    expect(server.requests.length).toBe(2)
    expect(proof.shownPin).toBe(server.pin)
  })

  test('is accepted when its certificate is renewed, over the same key or another key', async () => {
    const authority = await newAuthority()
    const first = await leafOf(authority, { now: Date.now() - 300 * dayMs })
    const server = await startIdentityServer(first, undefined)
    const { proof } = proofOf(authority)
    await connectOnce(proof, server)
    server.show(await leafOf(authority, { key: first.key }))
    await connectOnce(proof, server)
    const other = await leafOf(authority)
    server.show(other)
    await connectOnce(proof, server)
    expect(proof.shownPin).toBe(pinOf(other.key))
  })

  test('is accepted where only the pin of the key is stored, and the key is stored from then on', async () => {
    const authority = await newAuthority()
    const leaf = await leafOf(authority)
    const server = await startIdentityServer(leaf, documentOf(authority, leaf))
    const { proof } = proofOf(authority, { key: null })
    await connectOnce(proof, server)
    expect(proof.trusted.key).toBe(publicDerOf(authority.key).toString('base64'))
  })

  test.each([
    ['has run out', 400 * dayMs, 'if it is right, the server did not renew its certificate'],
    ['is of tomorrow for a clock that is behind', -30 * dayMs, 'The clock of this device is behind: set it.'],
  ])('is rejected with both times when the certificate %s', async (_, aheadMs, advice) => {
    const authority = await newAuthority()
    const server = await startIdentityServer(await leafOf(authority), undefined)
    const { proof, clock } = proofOf(authority)
    clock.aheadMs = aheadMs
    const refusal: unknown = await proof.connect(server.url).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(WrongTime)
    const { message } = refusal as WrongTime
    expect(message).toContain(advice)
    expect(message).toContain(new Date(clock.now()).toISOString().slice(0, 13))
    expect(server.requests).toEqual([])
  })
})

describe('a certificate of the authority that is not for servers', () => {
  test('is rejected: for clients, and of the authority itself', async () => {
    const authority = await newAuthority()
    const leaf = await clientLeafOf(authority)
    const own = { certificate: authority.certificate.toString(), key: authority.key }
    const server = await startIdentityServer(leaf, undefined)
    await expect(proofOf(authority).proof.connect(server.url)).rejects.toThrow(WrongIdentity)
    server.show(own)
    await expect(proofOf(authority).proof.connect(server.url)).rejects.toThrow(WrongIdentity)
  })

  test('no statement of another authority is stored', async () => {
    const [authority, stranger] = [await newAuthority(), await newAuthority()]
    const { proof } = proofOf(authority)
    const document = documentOf(stranger, await leafOf(stranger))
    expect(() => proof.learn(readIdentity(document))).toThrow('that of another server')
    expect(proof.trusted).toEqual(trustIn(authority))
  })
})

describe('a resumed session', () => {
  test('saves a handshake, and its certificate is still checked', async () => {
    const authority = await newAuthority()
    const server = await startIdentityServer(await leafOf(authority), undefined)
    const { proof, clock } = proofOf(authority)
    expect(await connectOnce(proof, server)).toEqual({ isResumed: false })
    expect(await connectOnce(proof, server)).toEqual({ isResumed: true })
    expect(server.handshakes).toEqual([{ isResumed: false }, { isResumed: true }])
    clock.aheadMs = 400 * dayMs
    await expect(proof.connect(server.url)).rejects.toThrow(WrongTime)
    expect(server.requests.length).toBe(2)
  })

  test('does not continue with a certificate that was renewed meanwhile', async () => {
    const authority = await newAuthority()
    const first = await leafOf(authority, { now: Date.now() - 395 * dayMs })
    const server = await startIdentityServer(first, undefined)
    const { proof, clock } = proofOf(authority)
    await connectOnce(proof, server)
    server.show(await leafOf(authority, { key: first.key }))
    clock.aheadMs = 30 * dayMs
    expect(await connectOnce(proof, server)).toEqual({ isResumed: false })
  })

  test('is not offered to a rejected peer', async () => {
    const [authority, stranger] = [await newAuthority(), await newAuthority()]
    const server = await startIdentityServer(await leafOf(stranger), undefined)
    const { proof } = proofOf(authority)
    await expect(proof.connect(server.url)).rejects.toThrow(WrongIdentity)
    await expect(proof.connect(server.url)).rejects.toThrow(WrongIdentity)
    expect(server.handshakes.some(({ isResumed }) => isResumed)).toBe(false)
  })
})

describe('a server with a custom certificate', () => {
  const kinds: [string, () => KeyObject | undefined][] = [
    ['RSA', newRsaKey],
    ['EC', () => undefined],
  ]

  test.each(kinds)('is accepted when our authority has signed its key (%s)', async (_, keyOf) => {
    const [authority, elsewhere] = [await newAuthority(), await newAuthority()]
    const key = keyOf()
    const own = await leafOf(elsewhere, key && { key })
    const server = await startIdentityServer(own, documentOf(authority, own, { name: 'Renamed' }))
    const { proof } = proofOf(authority)
    await connectOnce(proof, server)
    expect(proof.trusted).toMatchObject({ name: 'Renamed', serverPin: pinOf(own.key) })
    const asked = server.requests.filter((request) => request.includes('farhand-identity')).length
    await connectOnce(proof, server)
    expect([asked, server.requests.filter((request) => request.includes('farhand-identity')).length]).toEqual([1, 1])
  })

  test('is rejected when it forwards the statement of our server, and the report names the machine in the middle', async () => {
    const [authority, middle] = [await newAuthority(), await newAuthority()]
    const leaf = await leafOf(authority)
    const server = await startIdentityServer(await leafOf(middle), documentOf(authority, leaf))
    const { proof } = proofOf(authority)
    await expect(proof.connect(server.url)).rejects.toThrow('that of your server, for another key')
    expect(onlyAskedWho(server)).toBe(true)
  })

  test('is rejected with an old statement once a newer one was read', async () => {
    const [authority, elsewhere] = [await newAuthority(), await newAuthority()]
    const own = await leafOf(elsewhere)
    const server = await startIdentityServer(own, documentOf(authority, own, { issuedAt: Date.now() - dayMs }))
    const { proof } = proofOf(authority, { issuedAt: new Date().toISOString() })
    await expect(proof.connect(server.url)).rejects.toThrow('an old one of your server')
  })

  test('is rejected with a statement of next week, and the clock is named as the reason', async () => {
    const [authority, elsewhere] = [await newAuthority(), await newAuthority()]
    const own = await leafOf(elsewhere)
    const server = await startIdentityServer(own, documentOf(authority, own, { issuedAt: Date.now() + 7 * dayMs }))
    await expect(proofOf(authority).proof.connect(server.url)).rejects.toThrow('The clock of this device is behind')
  })

  test('is asked for a newer statement when the stored one expired longer ago than the clock tolerance', async () => {
    const [authority, elsewhere] = [await newAuthority(), await newAuthority()]
    const own = await leafOf(elsewhere)
    const server = await startIdentityServer(own, documentOf(authority, own))
    const { proof, clock } = proofOf(authority)
    await connectOnce(proof, server)
    clock.aheadMs = 2.9 * dayMs
    await connectOnce(proof, server)
    const asked = () => server.requests.filter((request) => request.includes('farhand-identity')).length
    expect(asked()).toBe(1)
    clock.aheadMs = 3.1 * dayMs
    const issuedAt = clock.now()
    server.say(documentOf(authority, own, { issuedAt }))
    await connectOnce(proof, server)
    expect([asked(), proof.trusted.expiresAt]).toEqual([2, new Date(issuedAt + 2 * dayMs).toISOString()])
  })

  test('is rejected with an expired statement, and the clock or a replaced key is named as the reason', async () => {
    const [authority, elsewhere] = [await newAuthority(), await newAuthority()]
    const own = await leafOf(elsewhere)
    const server = await startIdentityServer(own, documentOf(authority, own, { issuedAt: Date.now() - 3.1 * dayMs }))
    const { proof } = proofOf(authority)
    const refusal: unknown = await proof.connect(server.url).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(WrongTime)
    expect(refusal).toMatchObject({ message: expect.stringContaining('a key that your server has replaced') })
    expect([onlyAskedWho(server), proof.trusted.serverPin]).toEqual([true, null])
  })

  test('is accepted with a statement without an expiration, as older servers sign, for the lifetime of a certificate', async () => {
    const [authority, elsewhere] = [await newAuthority(), await newAuthority()]
    const own = await leafOf(elsewhere)
    const server = await startIdentityServer(
      own,
      endlessDocumentOf(authority, own, { issuedAt: Date.now() - 390 * dayMs }),
    )
    const { proof, clock } = proofOf(authority)
    await connectOnce(proof, server)
    clock.aheadMs = 10 * dayMs
    await expect(proof.connect(server.url)).rejects.toThrow('restart the server, which signs a new one')
    server.say(endlessDocumentOf(authority, own, { issuedAt: clock.now() }))
    await connectOnce(proof, server)
  })

  test.each([
    ['says nothing', () => undefined, 'it answers 404'],
    ['signs with another key than it names', forged, 'carries a wrong signature'],
  ])('is rejected when it %s', async (_, documentFor, reason) => {
    const [authority, stranger] = [await newAuthority(), await newAuthority()]
    const own = await leafOf(stranger)
    const server = await startIdentityServer(own, documentFor(authority, documentOf(stranger, own)))
    await expect(proofOf(authority).proof.connect(server.url)).rejects.toThrow(reason)
    expect(onlyAskedWho(server)).toBe(true)
  })
})

/** Creates a statement of one authority with the certificate of another. */
function forged({ certificate }: Authority, document: ReturnType<typeof documentOf>) {
  return { ...document, authority: certificate.raw.toString('base64') }
}

test('another server causes an error with the expected and the presented key', async () => {
  const [authority, stranger] = [await newAuthority(), await newAuthority()]
  const leaf = await leafOf(stranger)
  const server = await startIdentityServer(leaf, documentOf(stranger, leaf, { name: 'Impostor' }))
  const refusal: unknown = await proofOf(authority)
    .proof.connect(server.url)
    .catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(WrongIdentity)
  const { expected, seen, message } = refusal as WrongIdentity
  const { subject, issuer } = new X509Certificate(leaf.certificate)
  expect(expected).toBe(`the server "Shop" with the fingerprint "${fingerprintWords(pinOf(authority.key))}"`)
  expect(seen).toBe(
    `a certificate for ${subject}, issued by ${issuer.replaceAll('\n', ' ')}, with the key ${pinOf(leaf.key)}; it claims ` +
      `to be the server "Impostor" with the fingerprint "${fingerprintWords(pinOf(stranger.key))}"`,
  )
  expect(message).toContain(`Another server answers at ${server.url}: expected ${expected}, seen ${seen}.`)
  expect(onlyAskedWho(server)).toBe(true)
})

test('the name of an unknown server cannot draw on a terminal or fill a log', async () => {
  const [authority, stranger] = [await newAuthority(), await newAuthority()]
  const leaf = await leafOf(stranger)
  const name = `\u001B[2J\n${'x'.repeat(200)}`
  const server = await startIdentityServer(leaf, documentOf(stranger, leaf, { name }))
  const refusal: unknown = await proofOf(authority)
    .proof.connect(server.url)
    .catch((error: unknown) => error)
  const { message } = refusal as WrongIdentity
  expect(message).not.toMatch(/\p{C}/u)
  expect(message.length).toBeLessThan(1200)
})
