import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import type { X509Certificate } from 'node:crypto'

const dnsName = /^(?=.{1,253}$)[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?(\.[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?)*$/

/** Normalizes an IP address and removes its zone; undefined for any other text. */
function address(text: string): string | undefined {
  const plain = text.replace(/%.*$/, '').replace(/^\[|\]$/g, '')
  const family = isIP(plain)
  if (family === 6) {
    return new URL(`http://[${plain}]`).hostname.slice(1, -1)
  }
  return family === 4 ? plain : undefined
}

/** Normalizes a name or an address as in certificates and Host headers; undefined for any other text. */
export function normalName(text: string): string | undefined {
  const ip = address(text)
  const name = ip ?? domainToASCII(text.trim().replace(/\.$/, '')).toLowerCase()
  return ip !== undefined || dnsName.test(name) ? name : undefined
}

/** True if a name may be known on the internet; false for addresses and local names. */
export const isPublicName = (name: string): boolean =>
  address(name) === undefined &&
  /^[a-z\d_-]+(\.[a-z\d_-]+)+$/i.test(name) &&
  !/\.(local|localhost|internal)$/i.test(name)

/** Names and addresses of a certificate; wildcards are not expanded. */
export function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  return subjectAltName.split(', ').flatMap((entry) => {
    const [kind, ...rest] = entry.split(':')
    const text = rest.join(':').replaceAll('"', '')
    const name = kind === 'IP Address' ? address(text) : kind === 'DNS' ? text.toLowerCase() : undefined
    return name === undefined ? [] : [name]
  })
}
