import { get } from 'node:https'
import type { X509Certificate } from 'node:crypto'
import { parseJson } from '../../shared/contract/parse-json.ts'
import { identityPath } from '../../shared/server-identity.ts'
import { reasonOf } from '../base/errors.ts'
import { readIdentity, type ProvedIdentity } from './identity-document.ts'
import { openTls } from './tls-socket.ts'
import { wholeAnswer } from './trusted-request.ts'

const mostBytes = 64 * 1024
const answerLimitMs = 10_000

/** Certificate and identity of a server before any trust exists. */
export interface Introduction {
  /** Certificate of the connection that delivered the document. */
  certificate: X509Certificate
  /** Proved identity, or the reason why the server proves none. */
  identity: ProvedIdentity | string
}

async function read(origin: string, socket: Awaited<ReturnType<typeof openTls>>, signal: AbortSignal) {
  return await new Promise<unknown>((resolve, reject) => {
    const request = get(
      new URL(identityPath, origin),
      { createConnection: () => socket, headers: { accept: 'application/json', connection: 'close' }, signal },
      (answer) => {
        const parse = (bytes: Buffer) => {
          if (answer.statusCode !== 200) {
            throw new Error(`it answers ${answer.statusCode} where its identity document should be`)
          }
          const json = parseJson(bytes.toString('utf8'))
          if (json === undefined) {
            throw new Error('it has no identity document')
          }
          return json
        }
        wholeAnswer(request, answer, mostBytes, 'its identity document is too long').then(parse).then(resolve, reject)
      },
    )
    request.on('error', reject)
  })
}

export interface FetchIdentityOptions {
  signal?: AbortSignal | undefined
  /** Checks the certificate before data is sent; throws to send nothing. */
  check?: (certificate: X509Certificate) => void
}

/**
 * Fetches the identity of a server over a separate connection that carries no data of this device. Rejects when the
 * server cannot be reached.
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
