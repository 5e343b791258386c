import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import type { X509Certificate } from 'node:crypto'

const dnsName = /^(?=.{1,253}$)[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?(\.[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?)*$/

/** An IP address in its one spelling, without a zone; undefined for what is none. */
function address(text: string): string | undefined {
  const plain = text.replace(/%.*$/, '').replace(/^\[|\]$/g, '')
  const family = isIP(plain)
  if (family === 6) {
    return new URL(`http://[${plain}]`).hostname.slice(1, -1)
  }
  return family === 4 ? plain : undefined
}

/** A name or an address as certificates and hosts of requests spell it; undefined for what is neither. */
export function normalName(text: string): string | undefined {
  const ip = address(text)
  const name = ip ?? domainToASCII(text.trim().replace(/\.$/, '')).toLowerCase()
  return ip !== undefined || dnsName.test(name) ? name : undefined
}

/** Whether a name may be known to the whole internet, as no address and no name of one network is. */
export const isPublicName = (name: string): boolean =>
  address(name) === undefined &&
  /^[a-z\d_-]+(\.[a-z\d_-]+)+$/i.test(name) &&
  !/\.(local|localhost|internal)$/i.test(name)

/** Names and addresses that a certificate is for; a wildcard as it stands there. */
export function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  return subjectAltName.split(', ').flatMap((entry) => {
    const [kind, ...rest] = entry.split(':')
    const text = rest.join(':').replaceAll('"', '')
    const name = kind === 'IP Address' ? address(text) : kind === 'DNS' ? text.toLowerCase() : undefined
    return name === undefined ? [] : [name]
  })
}
