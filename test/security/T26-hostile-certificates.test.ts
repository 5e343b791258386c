/** A hostile certificate file uploaded by an administrator does not block the server. */
import { execFile } from 'node:child_process'
import { createCipheriv, pbkdf2Sync } from 'node:crypto'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { readCustom } from '../../server/engines/tls/custom-certificate.ts'
import { openPfx } from '../../server/engines/tls/pfx.ts'
import { filesOf, otherAuthority } from '../support/certificates.ts'
import { useTestServer } from '../support/server.ts'

const run = promisify(execFile)

/** Runs openssl asynchronously, so that the server in this process keeps its connections alive. */
const openssl = async (...args: string[]) => (await run('openssl', args, { encoding: 'buffer' })).stdout

/** Patches the iteration count of openssl's PFX file, in three bytes. */
async function pfxHashed(times: number) {
  const { cert, key } = await (await otherAuthority()).issue(['farhand.test'])
  const { pem } = await filesOf({ pem: cert + key })
  const made = ['-in', pem, '-iter', '100000', '-passout', 'pass:letmein']
  const pfx = await openssl('pkcs12', '-export', ...made)
  const asked = Buffer.from('020301' + '86a0', 'hex')
  const patch = Buffer.alloc(5)
  patch.writeUIntBE(0x0203, 0, 2)
  patch.writeUIntBE(times, 2, 3)
  for (let at = pfx.indexOf(asked); at !== -1; at = pfx.indexOf(asked, at + 1)) {
    patch.copy(pfx, at)
  }
  return pfx.toString('base64')
}

async function keyHashed(times: number) {
  const { cert, key } = await (await otherAuthority()).issue(['farhand.test'])
  const { file } = await filesOf({ file: key })
  const made = ['-topk8', '-in', file, '-v2', 'aes256', '-iter', String(times), '-passout', 'pass:letmein']
  return cert + (await openssl('pkcs8', ...made)).toString()
}

test('a file that demands endless password hashing is rejected before other work waits for it', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const bodies = [{ pfx: await pfxHashed(0x7fffff) }, { pem: await keyHashed(3_000_000) }]
  for (const body of bodies) {
    const attempt = owner.applianceNetwork.setCertificate({ body: { ...body, password: 'letmein' } })
    await expect(attempt).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('takes too long to check'),
    })
  }
  expect(await owner.applianceNetwork.get({})).toMatchObject({ hasUploaded: false, certificate: { problem: null } })
})

test("a file with today's usual iteration count is accepted", async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const body = { pfx: await pfxHashed(100_000), password: 'letmein' }
  expect(await owner.applianceNetwork.setCertificate({ body })).toMatchObject({ certificate: { source: 'own' } })
})

/** DER element of up to 64 KB. */
const der = (tag: number, ...parts: Buffer[]) => {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag, 0x82, content.length >> 8, content.length & 0xff]), content])
}
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const number = (value: number) => der(0x02, Buffer.from(value.toString(16).padStart(8, '0'), 'hex'))
const dataOid = oid('2a864886f70d010701')

/** Encryption parameters: PBES2, PBKDF2 with SHA-1, AES-256. */
const algorithm = (salt: Buffer, rounds: number, iv: Buffer) =>
  der(
    0x30,
    oid('2a864886f70d01050d'),
    der(
      0x30,
      der(0x30, oid('2a864886f70d01050c'), der(0x30, der(0x04, salt), number(rounds))),
      der(0x30, oid('60864801650304012a'), der(0x04, iv)),
    ),
  )

/** PFX file without a MAC whose cost is hidden behind its password: a key with a second layer of encryption. */
function pfxWithin(roundsWithin: number) {
  const [salt, iv] = [Buffer.alloc(8, 1), Buffer.alloc(16, 2)]
  const within = der(0x30, algorithm(salt, roundsWithin, iv), der(0x04, Buffer.alloc(160)))
  const bags = der(0x30, der(0x30, oid('2a864886f70d010c0a0102'), der(0xa0, within)))
  const cipher = createCipheriv('aes-256-cbc', pbkdf2Sync('letmein', salt, 1, 32, 'sha1'), iv)
  const hidden = Buffer.concat([cipher.update(bags), cipher.final()])
  const encrypted = der(0x30, number(0), der(0x30, dataOid, algorithm(salt, 1, iv), der(0x80, hidden)))
  const safe = der(0x30, der(0x30, oid('2a864886f70d010706'), der(0xa0, encrypted)))
  return der(0x30, number(3), der(0x30, dataOid, der(0xa0, der(0x04, safe)))).toString('base64')
}

test('a cost hidden behind the password is limited before it is spent', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const attempt = owner.applianceNetwork.setCertificate({ body: { pfx: pfxWithin(0x7fffffff), password: 'letmein' } })
  await expect(attempt).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('takes too long to check'),
  })
  const bearable = owner.applianceNetwork.setCertificate({ body: { pfx: pfxWithin(1000), password: 'letmein' } })
  await expect(bearable).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('the password is wrong'),
  })
})

/** Number of event loop turns while a file with this iteration count is opened. */
async function turnsWhileOpening(rounds: number, options: string[]) {
  const { cert, key } = await (await otherAuthority()).issue(['farhand.test'])
  const { pem } = await filesOf({ pem: cert + key })
  const made = ['-in', pem, '-iter', String(rounds), '-passout', 'pass:letmein', ...options]
  const content = await openssl('pkcs12', '-export', ...made)
  let turns = 0
  const count = () => {
    turns++
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  await readCustom({ content, password: 'letmein' }, Date.now())
  clearImmediate(counting)
  return turns
}

test.each([
  ['of today', 270_000, []],
  ['of older programs', 120_000, ['-keypbe', 'PBE-SHA1-3DES', '-certpbe', 'PBE-SHA1-3DES', '-macalg', 'sha1']],
])('the event loop is not blocked while an expensive file is opened: one %s', async (_, rounds, options) => {
  // Baseline of opening any file, including an in-memory handshake.
  const usual = await turnsWhileOpening(1, options)
  expect(await turnsWhileOpening(rounds, options)).toBeGreaterThan(usual + 12)
})

const isUnreadable = async (content: Buffer) => {
  const attempt = readCustom({ content, password: 'letmein' }, Date.now())
  await expect(attempt).rejects.toThrow('it contains no readable certificate and key.')
}

test('a small file whose parts each contain all others is rejected, and not assembled', async () => {
  const [size, parts] = [70_000, 4_000]
  const file = Buffer.alloc(size)
  file.writeUIntBE(0x30_82, 0, 2)
  file.writeUInt16BE(parts * 8, 2)
  // Octets in pieces, where a piece extends to the end of the file.
  Array.from({ length: parts }, (_, part) => 4 + part * 8).forEach((at) => {
    file.writeUIntBE(0x24_06_04_84, at, 4)
    file.writeUInt32BE(size - at - 8, at + 4)
  })
  await isUnreadable(file.subarray(0, 40_000))
  // An element of indefinite length must not extend past its container.
  await isUnreadable(Buffer.from('30022480040100000000', 'hex'))
})

/** PFX file without a MAC and without encryption, with one part. */
const pfxOfBags = (...bags: Buffer[]) => {
  const part = der(0x30, dataOid, der(0xa0, der(0x04, der(0x30, ...bags))))
  return der(0x30, number(3), der(0x30, dataOid, der(0xa0, der(0x04, der(0x30, part)))))
}
const unknownBag = der(0x30, oid('2a'), der(0xa0, Buffer.from('0500', 'hex')))

test('a file with too many elements, or of too many bytes, is rejected before it is decoded', async () => {
  await expect(openPfx(pfxOfBags(unknownBag, unknownBag), '')).rejects.toThrow('no certificate')
  await expect(openPfx(pfxOfBags(...Array.from({ length: 1000 }, () => unknownBag)), '')).rejects.toThrow('damaged')
  await isUnreadable(Buffer.alloc(40_000, 0x30_80))
  const attempt = readCustom({ content: pfxOfBags(der(0x06, Buffer.alloc(60_000, 0x7f))) }, Date.now())
  await expect(attempt).rejects.toThrow('it is larger than 48 KB. Export it with the chain of its certificate only.')
})
