import { X509Certificate, type KeyObject, createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { duplexPair } from 'node:stream'
import { connect, createSecureContext, TLSSocket, type SecureContextOptions } from 'node:tls'
import { chainOf } from './chain.ts'
import { isValidAt } from './validity.ts'

const anyKey = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----((?:[^-]|-(?!----))*)-----END \1-----/

/** Opens the first key of a PEM file without blocking the event loop. Throws OpenSSL error texts. */
export async function openPemKey(file: Buffer, text: string | undefined): Promise<KeyObject> {
  const [pem, kind, base64 = ''] = anyKey.exec(file.toString('latin1')) ?? []
  if (pem === undefined) {
    throw new Error('no key')
  }
  if (kind !== 'ENCRYPTED PRIVATE KEY') {
    // The legacy encryption hashes the password once.
    return createPrivateKey({ key: pem, format: 'pem', ...(text !== undefined && { passphrase: text }) })
  }
  if (text === undefined) {
    throw new Error('bad password read')
  }
  const { openKey } = await import('./pfx.ts')
  return await openKey(Buffer.from(base64, 'base64'), text)
}

/** Files of a custom certificate: PEM with its key in a separate file or the same file, or PFX. */
export interface CustomFiles {
  certificatePath: string
  keyPath?: string | undefined
  password?: string | undefined
}

/** A custom certificate in memory: PEM with its key, or PFX. */
export interface CustomContent {
  content: Buffer
  password?: string | undefined
}

export type CustomSource = CustomFiles | CustomContent

const placeOf = (source: CustomSource) => ('content' in source ? 'the uploaded file' : source.certificatePath)

/** A usable custom certificate, with everything TLS needs. */
export interface CustomCertificate {
  certificate: X509Certificate
  context: SecureContextOptions
}

/** The message names the problem and its solution. */
export class CustomCertificateError extends Error {
  override readonly name = 'CustomCertificateError'
}

async function read(path: string, what: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    const why =
      { ENOENT: 'there is no such file', EACCES: 'permission is denied', EISDIR: 'it is a folder' }[code] ?? code
    throw new CustomCertificateError(`The ${what} ${path} cannot be read: ${why}.`, { cause: error })
  }
}

const isPem = (bytes: Buffer) => bytes.includes('-----BEGIN ')

const pemBlock = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----([^-]+)-----END /g

const certificatesIn = (file: Buffer): X509Certificate[] =>
  [...file.toString('latin1').matchAll(pemBlock)].map(
    ([, base64 = '']) => new X509Certificate(Buffer.from(base64, 'base64')),
  )

/** PEM of a single certificate in DER, such as `.cer` files of Windows; undefined for another file. */
function pemOfDer(file: Buffer): Buffer | undefined {
  try {
    return Buffer.from(String(new X509Certificate(file)))
  } catch {
    return undefined
  }
}

/** Chain of the key's certificate in PEM, in order: files often begin with an intermediate certificate or the root. */
function orderedChain(file: Buffer, key: KeyObject): string {
  const certificates = certificatesIn(file)
  if (certificates.length === 0) {
    throw new Error('no certificate')
  }
  const leaf = certificates.find((each) => each.checkPrivateKey(key))
  if (!leaf) {
    throw new Error('key values mismatch')
  }
  return chainOf(leaf, certificates).join('')
}

/** Encoded object identifier of signed data in PKCS #7. */
const pkcs7 = Buffer.from('2a864886f70d010702', 'hex')
/** Bytes from the start of a file within which its type stands. */
const headBytes = 32

/** Larger keys would block the event loop on each connection: 8,192 bits take 30 ms. */
const mostKeyBits = 8_192

/** Reads and decrypts the source. Throws an CustomCertificateError for a missing file or key, or an OpenSSL error. */
async function openSource(source: CustomSource): Promise<{ cert: string; key: KeyObject }> {
  const isFile = 'certificatePath' in source
  const { password } = source
  const file = isFile ? await read(source.certificatePath, 'certificate file') : source.content
  const cert = isPem(file) ? file : pemOfDer(file)
  if (!cert) {
    if (file.subarray(0, headBytes).includes(pkcs7)) {
      throw new Error('pkcs7')
    }
    const { openPfx } = await import('./pfx.ts')
    return await openPfx(file, password)
  }
  const keyPath = isFile ? source.keyPath : undefined
  const key = keyPath === undefined ? cert : await read(keyPath, 'key file')
  if (!key.includes('PRIVATE KEY-----')) {
    throw new CustomCertificateError(
      keyPath === undefined
        ? `There is no key in ${placeOf(source)}. Add the key file.`
        : `${keyPath} contains no PEM key.`,
    )
  }
  const opened = await openPemKey(key, password)
  return { cert: orderedChain(cert, opened), key: opened }
}

/** Certificate and key without a password, so that TLS does not decrypt the key again. */
async function contextOf(source: CustomSource): Promise<SecureContextOptions> {
  const { cert, key } = await openSource(source)
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) > mostKeyBits) {
    throw new Error('too large')
  }
  return { cert, key: key.export({ type: 'pkcs8', format: 'pem' }) }
}

/** Explains OpenSSL errors. */
const reasons: readonly [RegExp, string][] = [
  [/pkcs7/, 'it is a PKCS #7 file, which cannot hold a key. Export it as PEM, or with its key as PFX.'],
  [/more than \d+ KB/, 'it is larger than 48 KB. Export it with the chain of its certificate only.'],
  [/too many rounds/i, 'its password takes too long to check. Export it again, with fewer iterations.'],
  [/too large/i, 'its key is too large. Use a key of 4,096 bits or fewer.'],
  [/mac verify failure|bad decrypt/i, 'the password is wrong. Correct it.'],
  [/interrupted or cancelled|passphrase required|bad password read/i, 'it is encrypted. Enter its password.'],
  [/key values mismatch|key type mismatch/i, 'the key does not match the certificate. Use the matching key.'],
  [/too small|md too weak/i, 'it is too weak. Use a larger key and SHA-256.'],
  [/unsupported/i, 'its encryption is no longer supported. Export it again, with AES.'],
  [/.*/, 'it contains no readable certificate and key.'],
]

const explain = (place: string, error: unknown) => {
  const text = error instanceof Error ? error.message : ''
  const reason = reasons.find(([pattern]) => pattern.test(text))?.[1] ?? ''
  return new CustomCertificateError(`The certificate in ${place} cannot be used: ${reason}`, { cause: error })
}

/** Returns the certificate of a TLS handshake in memory, which proves that the context works. */
async function certificateOf(context: SecureContextOptions): Promise<X509Certificate> {
  const [near, far] = duplexPair()
  const server = new TLSSocket(near, { isServer: true, secureContext: createSecureContext(context) })
  const client = connect({ socket: far, rejectUnauthorized: false })
  server.on('error', (error) => client.destroy(error))
  try {
    await once(client, 'secureConnect')
    const certificate = client.getPeerX509Certificate()
    if (!certificate) {
      throw new Error('no certificate')
    }
    return certificate
  } finally {
    client.destroy()
    server.destroy()
  }
}

/** Reads and tests the files. Throws an CustomCertificateError for an unusable or expired certificate. */
export async function readCustom(source: CustomSource, now: number): Promise<CustomCertificate> {
  let context: SecureContextOptions
  let certificate: X509Certificate
  try {
    context = await contextOf(source)
    certificate = await certificateOf(context)
  } catch (error) {
    throw error instanceof CustomCertificateError ? error : explain(placeOf(source), error)
  }
  if (!isValidAt(certificate, now)) {
    throw new CustomCertificateError(outOfTime(source, certificate, now))
  }
  return { certificate, context }
}

/** Explains why a certificate is not valid now. */
export function outOfTime(source: CustomSource, certificate: X509Certificate, now: number): string {
  const day = (date: Date) => date.toISOString().slice(0, 10)
  const { validFromDate, validToDate } = certificate
  const place = placeOf(source)
  return validToDate.getTime() <= now
    ? `The certificate in ${place} expired on ${day(validToDate)}. Replace it.`
    : `The certificate in ${place} is not valid before ${day(validFromDate)}. Check the clock of this machine.`
}

/** A fingerprint that changes whenever one of the files does. */
export async function stateOf(source: CustomSource): Promise<string> {
  if ('content' in source) {
    return ''
  }
  const { certificatePath, keyPath } = source
  const paths = keyPath === undefined ? [certificatePath] : [certificatePath, keyPath]
  const states = paths.map(async (path) => {
    try {
      const { mtimeMs, size, ino } = await stat(path)
      return `${mtimeMs} ${size} ${ino}`
    } catch (error) {
      return String((error as NodeJS.ErrnoException).code)
    }
  })
  return (await Promise.all(states)).join()
}
