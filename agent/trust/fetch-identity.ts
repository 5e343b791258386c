import { get } from 'node:https'
import type { X509Certificate } from 'node:crypto'
import { identityPath } from '../../shared/server-identity.ts'
import { reasonOf } from '../errors.ts'
import { readIdentity, type ProvedIdentity } from './identity-document.ts'
import { openTls } from './tls-socket.ts'

const mostBytes = 64 * 1024
const answerLimitMs = 10_000

/** What a server shows and says before anything is known of it. */
export interface Introduction {
  /** Of the connection that the document came by. */
  certificate: X509Certificate
  /** Or why the server says nothing that proves anything. */
  identity: ProvedIdentity | string
}

async function read(origin: string, socket: Awaited<ReturnType<typeof openTls>>, signal: AbortSignal) {
  return await new Promise<unknown>((resolve, reject) => {
    const request = get(
      new URL(identityPath, origin),
      { createConnection: () => socket, headers: { accept: 'application/json', connection: 'close' }, signal },
      (answer) => {
        const chunks: Buffer[] = []
        let length = 0
        answer.on('data', (chunk: Buffer) => {
          length += chunk.length
          chunks.push(chunk)
          if (length > mostBytes) {
            request.destroy(new Error('its identity document is too long'))
          }
        })
        answer.on('error', reject)
        answer.on('end', () => {
          if (answer.statusCode !== 200) {
            reject(new Error(`it answers ${answer.statusCode} where its identity document should be`))
            return
          }
          try {
            resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')))
          } catch {
            reject(new Error('it has no identity document'))
          }
        })
      },
    )
    request.on('error', reject)
  })
}

export interface FetchIdentityOptions {
  signal?: AbortSignal | undefined
  /** Looks at the certificate before anything is sent; throws to send nothing. */
  check?: (certificate: X509Certificate) => void
}

/**
 * Asks who a server is, over a connection of its own: nothing else is sent there, and nothing of this device. Rejects
 * when the server is not reached.
 */
export async function fetchIdentity(
  origin: string,
  { signal, check = () => {} }: FetchIdentityOptions = {},
): Promise<Introduction> {
  const socket = await openTls(origin, { signal })
  const limit = AbortSignal.timeout(answerLimitMs)
  try {
    const certificate = socket.getPeerX509Certificate()
    if (!certificate) {
      throw new Error(`${origin} shows no certificate.`)
    }
    check(certificate)
    try {
      const json = await read(origin, socket, signal ? AbortSignal.any([signal, limit]) : limit)
      return { certificate, identity: readIdentity(json) }
    } catch (error) {
      signal?.throwIfAborted()
      return { certificate, identity: reasonOf(error) }
    }
  } finally {
    socket.destroy()
  }
}
