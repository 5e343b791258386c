import { isIP } from 'node:net'
import { connect, type PeerCertificate } from 'node:tls'
import { plainText } from './plain-text.ts'

const codeOf = (error: unknown): string => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (typeof code === 'string' && !code.startsWith('UND_ERR_SOCKET')) {
      return code
    }
    if (cause instanceof AggregateError && cause.errors.length > 0) {
      return codeOf(cause.errors[0])
    }
  }
  return ''
}

/** Returns the innermost cause's message: `fetch` itself only reports "fetch failed". */
const deepestMessage = (error: unknown): string =>
  error instanceof Error ? (error.cause ? deepestMessage(error.cause) : error.message) : String(error)

const certificateCodes = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_REVOKED',
])

const networkReasons: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused. Check that the server is running and that the port is right.',
  ENOTFOUND: 'the name does not resolve. Check the spelling and the DNS of this device.',
  EAI_AGAIN: 'the name server did not answer. Check the network and the DNS of this device.',
  ETIMEDOUT: 'the connection timed out. Check for a firewall in between.',
  TimeoutError: 'the connection timed out. Check for a firewall in between.',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out. Check for a firewall in between.',
  EHOSTUNREACH: 'this device has no route to the server. Check its network.',
  ENETUNREACH: 'this device has no network connection.',
  ECONNRESET: 'the connection was reset. Check for https on a plain http port, or a proxy in between.',
  EPROTO: 'the port does not use TLS. Check whether the server address starts with http://.',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the port does not use TLS. Check whether the server address starts with http://.',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the port does not use TLS. Check whether the server address starts with http://.',
}

/** Fetches a server's certificate, trusted or not. */
const shownCertificate = (url: URL) =>
  new Promise<PeerCertificate | undefined>((resolve) => {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const socket = connect(
      {
        host,
        port: Number(url.port || 443),
        ...(isIP(host) === 0 && { servername: host }),
        rejectUnauthorized: false,
      },
      () => {
        resolve(socket.getPeerCertificate())
        socket.destroy()
      },
    )
    socket.setTimeout(5000, () => socket.destroy())
    socket.on('error', () => resolve(undefined)).on('close', () => resolve(undefined))
  })

const nameOf = (name: PeerCertificate['subject']) => plainText([name.CN ?? name.O ?? 'nobody'].flat().join(', '))

async function explainCertificate(url: URL, code: string) {
  const certificate = await shownCertificate(url)
  const seen = certificate?.subject
    ? `a certificate for ${plainText(certificate.subjectaltname ?? '') || nameOf(certificate.subject)}, issued by ` +
      `${nameOf(certificate.issuer)}, valid from ${certificate.valid_from} to ${certificate.valid_to}`
    : 'no readable certificate'
  return (
    `expected a certificate for ${url.hostname} from an authority that this device trusts, seen ${seen} (${code}). ` +
    `If the server uses its own authority, name its certificate file in NODE_EXTRA_CA_CERTS.`
  )
}

/** Status of the answer to an upgrade, in the message of `ws`. */
const refusedUpgrade = /^Unexpected server response: (\d{3})$/

/** Explains an answer to an upgrade; the server itself answers 101, and 401, 403 or 503 with a reason of its own. */
function explainUpgrade(message: string): string | undefined {
  const status = Number(refusedUpgrade.exec(message)?.[1])
  if (status === 502 || status === 504) {
    return `a proxy on the way answered ${status}: it does not reach the server. Check the proxy.`
  }
  return Number.isNaN(status) || [401, 403, 429, 503].includes(status)
    ? undefined
    : `expected a WebSocket (status 101), seen status ${status}. A proxy on the way does not pass WebSockets on: ` +
        'let it pass the headers Upgrade and Connection, over HTTP/1.1.'
}

/** Explains a failed connection to the server in one sentence: what was observed and what to check. */
export async function explainFailure(serverUri: string, error: unknown): Promise<string> {
  const url = new URL(serverUri)
  const code = codeOf(error) || (error instanceof Error ? error.name : '')
  const reason = certificateCodes.has(code)
    ? await explainCertificate(url, code)
    : (networkReasons[code] ?? explainUpgrade(deepestMessage(error)) ?? deepestMessage(error))
  return `Cannot reach ${url.origin}: ${reason}`
}

/** Adds advice to the reason of a rejected device update. */
export function adviceFor(reason: string): string {
  if (reason.startsWith('Timestamp expired')) {
    return `${reason} The clock of this device (${new Date().toISOString()}) and of the server differ: set them.`
  }
  if (/^(Unknown device|Signature verification failed|Invalid tenant ID|Device does not exist)/.test(reason)) {
    return `${reason} The server does not accept the key of this device. Install the agent again with an installer key.`
  }
  return reason
}
