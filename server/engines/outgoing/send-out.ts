import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { Lookups } from './lookups.ts'
import { isReachable } from './networks.ts'
import { Slots } from './slots.ts'

/** Time for one request with its answer, once its name is resolved. */
const timeoutMs = 10_000
/** Longest part of an answer that is read. */
const maxAnswerBytes = 4 * 1024
/** Requests at once, of all callers: receivers that do not answer take no more sockets than these. */
const slots = new Slots({ total: 64, share: 8 })
const lookups = new Lookups()

/** A request that was not sent, or not answered, with a sentence for the person who chose its address. */
export class OutgoingError extends Error {
  override name = 'OutgoingError'
}

interface Outgoing {
  /** Organization of the request: each has its share of the lookups at once (T44). */
  tenantId: string
  /** Part of the organization, which has its share of the requests at once. */
  part: 'webhooks' | 'people'
  url: string
  headers: Readonly<Record<string, string>>
  body: string
  /** Networks beside the internet that the owner allows. */
  allowed: readonly string[]
  /** Networks that this machine is in, such as `192.168.1.5/24`. */
  own: readonly string[]
  /** Ends the request. */
  signal?: AbortSignal | undefined
}

export interface OutgoingAnswer {
  status: number
  /** Beginning of the answer. */
  text: string
}

/** Throws for an address that is no plain http or https URL. */
export function parseTarget(text: string): URL {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new OutgoingError('The address must begin with https:// or http://.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutgoingError('The address must not contain a name or password.')
  }
  return url
}

/** Host of a URL, without the brackets of IPv6 addresses. */
const hostOf = (url: URL) => url.hostname.replace(/^\[(.*)\]$/, '$1')

/** Resolves a name once. Throws if none of its addresses may be reached. */
async function reachableAddress(host: string, { tenantId, allowed, own, signal }: Outgoing): Promise<string> {
  const found = isIP(host)
    ? [{ address: host }]
    : await lookups.addressesOf(tenantId, host, signal).catch(() => {
        throw new OutgoingError(`The name ${host} has no address.`)
      })
  if (!found) {
    throw timedOut()
  }
  const usable = found.find(({ address }) => isReachable(address, allowed, own))
  if (!usable) {
    throw new OutgoingError(
      `${host} is in a network that this server may not reach. The owner can allow it with Service_AppOptions__OutgoingNetworks__0.`,
    )
  }
  return usable.address
}

const timedOut = () => new OutgoingError(`There was no answer within ${timeoutMs / 1000} seconds.`)

async function readStart(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response) {
    text += (chunk as Buffer).toString()
    if (text.length >= maxAnswerBytes) {
      break
    }
  }
  return text.slice(0, maxAnswerBytes)
}

/**
 * Sends a POST request to an address that somebody chose (T48). Its name is resolved once, and the connection is made to
 * the address that was checked. Redirects are not followed; time and answer are bounded. Throws an `OutgoingError`.
 */
export async function sendOut(request: Outgoing): Promise<OutgoingAnswer> {
  const url = parseTarget(request.url)
  // Before a slot is taken: requests that wait for slow names would keep all slots from others (T44).
  const address = await reachableAddress(hostOf(url), request)
  return await slots.run(`${request.part} ${request.tenantId}`, () => send(request, url, address))
}

async function send({ headers, body, signal: end }: Outgoing, url: URL, address: string): Promise<OutgoingAnswer> {
  const time = AbortSignal.timeout(timeoutMs)
  const signal = end ? AbortSignal.any([time, end]) : time
  const isSecure = url.protocol === 'https:'
  const options = {
    host: address,
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
    method: 'POST',
    agent: false,
    signal,
    headers: { ...headers, host: url.host, 'content-length': Buffer.byteLength(body) },
  } as const
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = isSecure
        ? httpsRequest({ ...options, servername: isIP(hostOf(url)) ? '' : url.hostname }, resolve)
        : httpRequest(options, resolve)
      request.on('error', reject)
      request.end(body)
    })
    const answer = { status: response.statusCode ?? 0, text: await readStart(response) }
    response.destroy()
    return answer
  } catch (error) {
    throw time.aborted ? timedOut() : new OutgoingError(sentenceOf(error, url.host), { cause: error })
  }
}

function sentenceOf(error: unknown, host: string): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'ECONNREFUSED' ? `${host} refused the connection.` : `${host} could not be reached: ${message}.`
}
