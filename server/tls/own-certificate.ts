import type { KeyObject, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { duplexPair } from 'node:stream'
import { connect, createSecureContext, TLSSocket, type SecureContextOptions } from 'node:tls'
import { isValidAt } from './certificates.ts'
import { openPemKey, openPfx } from './pfx.ts'

/** Where a certificate of one's own lies: PEM with its key in a file of its own or the same one, or PFX. */
export interface OwnFiles {
  certificatePath: string
  keyPath?: string | undefined
  password?: string | undefined
}

/** The same in memory: PEM with its key, or PFX. */
export interface OwnContent {
  content: Buffer
  password?: string | undefined
}

export type OwnSource = OwnFiles | OwnContent

const placeOf = (source: OwnSource) => ('content' in source ? 'the uploaded file' : source.certificatePath)

/** A certificate that can be shown, with all that TLS needs for it. */
export interface OwnCertificate {
  certificate: X509Certificate
  context: SecureContextOptions
}

/** The message says what is wrong with the files and what to do. */
export class OwnCertificateError extends Error {
  override readonly name = 'OwnCertificateError'
}

async function read(path: string, what: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    const why =
      { ENOENT: 'there is no such file', EACCES: 'this user may not read it', EISDIR: 'it is a folder' }[code] ?? code
    throw new OwnCertificateError(`The ${what} ${path} cannot be read: ${why}.`, { cause: error })
  }
}

const isPem = (bytes: Buffer) => bytes.includes('-----BEGIN ')

/** Above, each connection would hold the process for longer than others may wait: 8,192 bits take it 30 ms. */
const mostKeyBits = 8_192

/** What the source holds, opened. Throws an OwnCertificateError for what is missing, or in the words of OpenSSL. */
async function openSource(source: OwnSource): Promise<{ cert: string | Buffer; key: KeyObject }> {
  const isFile = 'certificatePath' in source
  const { password } = source
  const cert = isFile ? await read(source.certificatePath, 'certificate file') : source.content
  if (!isPem(cert)) {
    return await openPfx(cert, password)
  }
  const keyPath = isFile ? source.keyPath : undefined
  const key = keyPath === undefined ? cert : await read(keyPath, 'key file')
  if (!key.includes('PRIVATE KEY-----')) {
    throw new OwnCertificateError(
      keyPath === undefined
        ? `There is no key in ${placeOf(source)}. Give the file with the key, too.`
        : `${keyPath} holds no key in PEM form.`,
    )
  }
  return { cert, key: await openPemKey(key, password) }
}

/** Certificate and key without a password: whoever shows them does not open them again. */
async function contextOf(source: OwnSource): Promise<SecureContextOptions> {
  const { cert, key } = await openSource(source)
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) > mostKeyBits) {
    throw new Error('too large')
  }
  return { cert, key: key.export({ type: 'pkcs8', format: 'pem' }) }
}

/** What the library's words for a refused file mean. */
const reasons: readonly [RegExp, string][] = [
  [/too many rounds/i, 'it takes too long to open. Export it again, with fewer iterations for its password.'],
  [/too large/i, 'its key is too large to be shown to many. Have one made with 4,096 bits or fewer.'],
  [/mac verify failure|bad decrypt/i, 'the password does not open it. Correct the password.'],
  [
    /interrupted or cancelled|passphrase required|bad password read/i,
    'it is closed with a password. Give the password.',
  ],
  [
    /key values mismatch|key type mismatch/i,
    'the key does not belong to the certificate. Give the two that belong together.',
  ],
  [/too small|md too weak/i, 'it is too weak to be shown. Have one made with a larger key and SHA-256.'],
  [/unsupported/i, 'it is of a form that is not supported any more. Export it again, with AES.'],
  [/.*/, 'it holds no certificate and key that can be read.'],
]

const explain = (place: string, error: unknown) => {
  const text = error instanceof Error ? error.message : ''
  const reason = reasons.find(([pattern]) => pattern.test(text))?.[1] ?? ''
  return new OwnCertificateError(`The certificate in ${place} cannot be used: ${reason}`, { cause: error })
}

/** The certificate that a context shows, seen in a handshake in memory: what passes will work. */
async function shownBy(context: SecureContextOptions): Promise<X509Certificate> {
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

/** Reads and tries the files. Throws an OwnCertificateError for what cannot be shown now. */
export async function readOwn(source: OwnSource, now: number): Promise<OwnCertificate> {
  let context: SecureContextOptions
  let certificate: X509Certificate
  try {
    context = await contextOf(source)
    certificate = await shownBy(context)
  } catch (error) {
    throw error instanceof OwnCertificateError ? error : explain(placeOf(source), error)
  }
  if (!isValidAt(certificate, now)) {
    throw new OwnCertificateError(outOfTime(source, certificate, now))
  }
  return { certificate, context }
}

/** Why a certificate does not count now. */
export function outOfTime(source: OwnSource, certificate: X509Certificate, now: number): string {
  const day = (date: Date) => date.toISOString().slice(0, 10)
  const { validFromDate, validToDate } = certificate
  const place = placeOf(source)
  return validToDate.getTime() <= now
    ? `The certificate in ${place} expired on ${day(validToDate)}. Put a new one there.`
    : `The certificate in ${place} is not valid before ${day(validFromDate)}. Check the clock of this machine.`
}

/** A text that changes whenever one of the files does. */
export async function stateOf(source: OwnSource): Promise<string> {
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
