import { execFileSync } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync, X509Certificate, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { makeAuthority, makeLeaf } from '../../../../server/engines/tls/certificates.ts'
import { readCustom, openPemKey } from '../../../../server/engines/tls/custom-certificate.ts'
import { newKey } from '../../../../server/engines/tls/keys.ts'
import { openPfx } from '../../../../server/engines/tls/pfx.ts'
import { filesOf } from '../../../support/certificates.ts'

const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()

async function made(key?: KeyObject) {
  const authority = await makeAuthority(await newKey(), Date.now())
  const own = key ?? (await newKey())
  const leaf = await makeLeaf(authority, own, ['pfx.test'], Date.now())
  const files = await filesOf({ crt: leaf.toString(), key: pemOf(own), ca: authority.certificate.toString() })
  return { files, key: own, certificates: [leaf.toString(), authority.certificate.toString()] }
}

function pfxBy(files: { crt: string; key: string; ca: string }, password: string, options: readonly string[]) {
  const given = ['-in', files.crt, '-inkey', files.key, '-certfile', files.ca, '-out', `${files.crt}.pfx`]
  execFileSync('openssl', ['pkcs12', '-export', ...given, '-passout', `pass:${password}`, ...options])
  return readFileSync(`${files.crt}.pfx`)
}

const certificatesIn = (text: string) => text.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----\n/g)
const isSame = (one: KeyObject, other: KeyObject) => pemOf(one) === pemOf(other)

const tripleDes = 'PBE-SHA1-3DES'

describe('a PFX file is opened', () => {
  test.each([
    ['as OpenSSL 3 makes it', 'letmein', []],
    [
      'as Windows and older programs make it',
      'letmein',
      ['-keypbe', tripleDes, '-certpbe', tripleDes, '-macalg', 'sha1'],
    ],
    [
      'with small keys and a long hash',
      'letmein',
      ['-keypbe', 'AES-128-CBC', '-certpbe', 'AES-192-CBC', '-macalg', 'sha512'],
    ],
    ['with many iterations', 'letmein', ['-iter', '100000']],
    ['with certificates that are not encrypted', 'letmein', ['-certpbe', 'NONE']],
    ['with nothing that is encrypted', 'letmein', ['-certpbe', 'NONE', '-keypbe', 'NONE']],
    ['that is not sealed', 'letmein', ['-nomac']],
    ['with an empty password', '', []],
    ['with letters of another language', 'Öffne dich 😀', ['-keypbe', tripleDes]],
    ['with a password as long as a sentence', 'open sesame '.repeat(12), ['-keypbe', tripleDes]],
    ['with a name for people', 'letmein', ['-name', 'Näme', '-LMK', '-CSP', 'Microsoft']],
  ] satisfies [string, string, string[]][])('%s', async (_, password, options) => {
    const { files, key, certificates } = await made()
    const opened = await openPfx(pfxBy(files, password, options), password)
    expect(certificatesIn(opened.cert)).toEqual(certificates)
    expect(isSame(opened.key, key)).toBe(true)
  })

  test('with a key of RSA', async () => {
    const { files, key } = await made(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
    const { cert, key: opened } = await openPfx(pfxBy(files, 'letmein', []), 'letmein')
    expect(new X509Certificate(cert).checkPrivateKey(opened)).toBe(true)
    expect(isSame(opened, key)).toBe(true)
  })

  test('in pieces of indefinite length, as other programs write it', async () => {
    const { files, key } = await made()
    const pfx = pfxBy(files, 'letmein', [])
    const { key: opened } = await openPfx(inPieces(pfx), 'letmein')
    expect(isSame(opened, key)).toBe(true)
  })
})

/**
 * A file without a password as .NET encodes it, with 3DES: the password is empty, without the zero that OpenSSL adds.
 */
const withoutPassword = Buffer.from(
  [
    'MIIDjAIBAzCCA0YGCSqGSIb3DQEHAaCCAzcEggMzMIIDLzCCAiYGCSqGSIb3DQEHBqCCAhcwggITAgEAMIICDAYJKoZIhvcNAQcBMBsGCiqGSI',
    'b3DQEMAQMwDQQIKxnQPYLY4HACAQGAggHgeje2k0+ig89zsACM8h3izOwa1oPBV5YMNpM68hsQqimJCYK3EDgH3qLWiW8MPe1Wu2Mc4tYa0bDp',
    'QcidiLZTVfDOkaYtrw0JKU0brFyFqHRIKCYn/QLCoiUHlOj47x0aXw5tjqMxw8G5L7H/jv/YnQwm8t6kO+/aXMwf415fawmT4KdysQkP3eAiC+',
    'jcp915WryskCbfwGLifbBU19ruimuTJoZ0/xDcKX6VYAf9X2WiDk+uSbz3JTDJ49L4aoDwSGSsiB5wftgatD4w8zcHQLKiU6hBAlsfCrlXy9xq',
    'KSjaSudfAuzlxOARfWA6TKy3TXf7tFphCU6yz36hIS9C4E+mvqbYOYgBIqDrJwIL0k+UEbSFTprnk/hWTn86puRDVd7+/1+N+STvM9ZzIIL6kq',
    '+5P0YkhiSFN4jFpLCd8aC2To2advvHZA62ak1DHezAlG2WME0TaK9hGo8eBK5FE1Y6H1a9t/0xRpd9HOSn7ch9czWn0k/z44oBvpVUv+lp9nWJ',
    '594IgMQbPJ5RVSLH0urzCHqkJNOyEq0IWzGUeh19BhF/nOyM1yZip/jerE/Xw458wbi/eUlf9Z2lZSsK3MwuBkBmhCehwqzBsWtzpmOM6wEv73',
    'mHfVvYHFaoH2/rMIIBAQYJKoZIhvcNAQcBoIHzBIHwMIHtMIHqBgsqhkiG9w0BDAoBAqCBszCBsDAbBgoqhkiG9w0BDAEDMA0ECDGrHOcSZLsi',
    'AgEBBIGQlNb2DJl1kz/DHA30sTyPYs/tjey/DfuxRv3RHXFyfA0xmTxo8uxNqtfNcD5TzTxuN58+LuPiOQCs48yG1zqK5GwUmS1pFxXuY1386+',
    '3T22xfccSzUTZDFmfxsbCo/VhS8zVyXSGcTMXthrtsLbB86s3XsYb1jXQvYp9teVIS3ulrPI7msAdrXh46TJd85irQMSUwIwYJKoZIhvcNAQkV',
    'MRYEFFyOlQ5zvtAAZvP2y9ubxPa5YP3TMD0wMTANBglghkgBZQMEAgEFAAQgy8KLM6w6ocSAm7CFMJqaASA0ooADdqu2u+SgE1SNXb4ECJKqT3',
    '+1mP8j',
  ].join(''),
  'base64',
)

test.each([undefined, ''])(
  'a PFX file that has no password, not even an empty one, is opened: %o',
  async (password) => {
    const { cert, key } = await openPfx(withoutPassword, password)
    expect(new X509Certificate(cert).checkPrivateKey(key)).toBe(true)
    await expect(openPfx(withoutPassword, 'letmein')).rejects.toThrow('mac verify failure')
  },
)

/** Re-encodes the file with its content as a fragmented octet string of indefinite length. */
function inPieces(pfx: Buffer): Buffer {
  const lengthAt = (at: number) => {
    const first = pfx.readUInt8(at + 1)
    return first < 0x80
      ? { length: first, from: at + 2 }
      : { length: pfx.readUIntBE(at + 2, first - 0x80), from: at + 2 + first - 0x80 }
  }
  const file = lengthAt(0).from
  const version = file + 3
  const info = lengthAt(version)
  const oid = lengthAt(info.from)
  const explicit = lengthAt(oid.from + oid.length)
  const octets = lengthAt(explicit.from)
  const content = pfx.subarray(octets.from, octets.from + octets.length)
  const pieces = [content.subarray(0, 100), content.subarray(100, 201), content.subarray(201, 320)]
  const rest = content.subarray(320)
  const piece = (bytes: Buffer) =>
    Buffer.concat([Buffer.from([0x04, 0x82, bytes.length >> 8, bytes.length & 0xff]), bytes])
  const end = Buffer.from([0, 0])
  const endless = (tag: number, ...parts: Buffer[]) => Buffer.concat([Buffer.from([tag, 0x80]), ...parts, end])
  return endless(
    0x30,
    pfx.subarray(file, version),
    endless(
      0x30,
      pfx.subarray(info.from, oid.from + oid.length),
      endless(0xa0, endless(0x24, ...[...pieces, rest].map(piece))),
    ),
    pfx.subarray(info.from + info.length),
  )
}

describe('a PFX file is rejected', () => {
  test.each([
    ['with another password', 'wrong', [], 'mac verify failure'],
    ['without its password', undefined, [], 'mac verify failure'],
    ['with another password, not sealed', 'wrong', ['-nomac'], /bad decrypt|wrong final block/i],
  ] satisfies [string, string | undefined, string[], string | RegExp][])('%s', async (_, password, options, reason) => {
    const { files } = await made()
    await expect(openPfx(pfxBy(files, 'letmein', options), password)).rejects.toThrow(reason)
  })

  test('that is truncated anywhere, or has any byte changed, at once and with an error', async () => {
    const { files } = await made()
    const pfx = pfxBy(files, 'letmein', ['-iter', '1', '-certpbe', 'NONE', '-nomac'])
    for (let at = 0; at < pfx.length; at += 7) {
      await expect(openPfx(pfx.subarray(0, at), 'letmein')).rejects.toBeInstanceOf(Error)
      const changed = Buffer.from(pfx)
      changed.writeUInt8(pfx.readUInt8(at) ^ 0xa5, at)
      await openPfx(changed, 'letmein').catch((error: unknown) => expect(error).toBeInstanceOf(Error))
    }
  })
})

test('a PFX file of an old Windows, with RC2, is rejected with what to do', async () => {
  const { files } = await made()
  const pfx = pfxBy(files, 'letmein', ['-keypbe', tripleDes, '-certpbe', tripleDes, '-nomac'])
  const [byTripleDes, byRc2] = ['2a864886f70d010c0103', '2a864886f70d010c0106']
  const content = Buffer.from(pfx.toString('hex').replace(byTripleDes, byRc2), 'hex')
  await expect(readCustom({ content, password: 'letmein' }, Date.now())).rejects.toThrow(
    'its encryption is no longer supported. Export it again, with AES.',
  )
})

describe('an encrypted key in PEM form is opened', () => {
  test.each([
    ['by PBKDF2', ['-topk8', '-v2', 'aes256', '-v2prf', 'hmacWithSHA512']],
    ['by PBKDF2 with 3DES', ['-topk8', '-v2', 'des3']],
    ['by scrypt', ['-topk8', '-scrypt']],
    ['by PKCS #12', ['-topk8', '-v1', tripleDes]],
  ])('%s', async (_, options) => {
    const { files, key } = await made()
    const text = execFileSync('openssl', ['pkcs8', ...options, '-in', files.key, '-passout', 'pass:letmein'])
    expect(isSame(await openPemKey(text, 'letmein'), key)).toBe(true)
    await expect(openPemKey(text, 'wrong')).rejects.toThrow(/bad decrypt|wrong final block|asn1|wrong tag/i)
    await expect(openPemKey(text, undefined)).rejects.toThrow('bad password read')
  })

  test('with legacy encryption, beside its certificate', async () => {
    const { files, key } = await made()
    const text = execFileSync('openssl', ['ec', '-aes128', '-in', files.key, '-passout', 'pass:letmein'], {
      stdio: 'pipe',
    })
    const both = Buffer.concat([readFileSync(files.crt), text])
    expect(isSame(await openPemKey(both, 'letmein'), key)).toBe(true)
    await expect(openPemKey(both, undefined)).rejects.toThrow(/interrupted or cancelled|passphrase required/i)
  })

  test('and a key that needs too much memory or time is rejected', async () => {
    const { files } = await made()
    const asked = ['-topk8', '-scrypt', '-outform', 'DER', '-in', files.key, '-passout', 'pass:letmein']
    const der = execFileSync('openssl', ['pkcs8', ...asked]).toString('latin1')
    // N is 16384 and r is 8: changes r to 127.
    const changed = Buffer.from(der.replace('\x02\x02\x40\x00\x02\x01\x08', '\x02\x02\x40\x00\x02\x01\x7F'), 'latin1')
    const text = Buffer.from(
      `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${changed.toString('base64')}\n-----END ENCRYPTED PRIVATE KEY-----\n`,
    )
    await expect(openPemKey(text, 'letmein')).rejects.toThrow('too many rounds')
  })
})

test('an unencrypted key needs no password, and ignores a given one', async () => {
  const { files, key } = await made()
  expect(isSame(await openPemKey(readFileSync(files.key), 'any'), key)).toBe(true)
  expect(isSame(createPrivateKey(readFileSync(files.key)), key)).toBe(true)
})
