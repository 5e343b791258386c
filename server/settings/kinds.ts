import { isIP } from 'node:net'
import { isAbsolute } from 'node:path'
import { id } from '../../shared/contract/fields.ts'
import { isFeedUrl } from '../../shared/release.ts'
import { isConnectionString } from '../../shared/telemetry/config.ts'

/** A type of value: `read` returns undefined for a text that is not `allowed`. */
export interface Kind<T> {
  type: string
  allowed: string
  read(text: string): T | undefined
}

export const bool: Kind<boolean> = {
  type: 'bool',
  allowed: 'true or false',
  read(value) {
    const word = value.trim().toLowerCase()
    return word === 'true' ? true : word === 'false' ? false : undefined
  },
}

export const int = (min = -(2 ** 31), max = 2 ** 31 - 1): Kind<number> => ({
  type: 'int',
  allowed: `a whole number from ${min} to ${max}`,
  read(text) {
    const value = /^\s*[+-]?\d+\s*$/.test(text) ? Number(text) : NaN
    return value >= min && value <= max ? value : undefined
  },
})

export const long: Kind<number> = {
  ...int(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  type: 'long',
}

export const port = int(0, 65535)

export const text: Kind<string> = { type: 'string', allowed: 'text', read: (value) => value }

export const path: Kind<string> = { ...text, type: 'path' }

export const longSecret: Kind<string> = {
  type: 'string',
  allowed: 'at least 32 characters long',
  read: (value) => (value.length >= 32 ? value : undefined),
}

export const guid: Kind<string> = {
  type: 'GUID',
  allowed: 'a GUID such as 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  read: (value) => id.safeParse(value.trim()).data,
}

/** A choice of `values`, in any letter case. */
export const choice = <const V extends string>(...values: V[]): Kind<V> => ({
  type: values.join(', '),
  allowed: `one of ${values.join(', ')}`,
  read: (value) => values.find((candidate) => candidate.toLowerCase() === value.trim().toLowerCase()),
})

/** Parses `hh:mm:ss` or `d.hh:mm:ss` to milliseconds. */
export const duration: Kind<number> = {
  type: 'duration',
  allowed: 'a duration such as 00:01:00 (hh:mm:ss) or 7.00:00:00 (d.hh:mm:ss)',
  read(value) {
    const parts = /^(?:(\d{1,7})\.)?([01]?\d|2[0-3]):([0-5]?\d):([0-5]?\d)$/.exec(value.trim())
    const [days = 0, hours = 0, minutes = 0, seconds = 0] = (parts ?? []).slice(1).map((part) => Number(part ?? 0))
    return parts ? (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 : undefined
  },
}

function webUrl(value: string): URL | undefined {
  const url = URL.parse(value.trim())
  return url && /^https?:$/.test(url.protocol) && url.hostname ? url : undefined
}

/** Parses a web address without query, fragment and credentials. */
function plainUrl(value: string): URL | undefined {
  const url = webUrl(value)
  return url && !url.search && !url.hash && !url.username && !url.password ? url : undefined
}

/** An http or https address without query, fragment or credentials; without its trailing slash. */
export const webAddress: Kind<string> = {
  type: 'URI',
  allowed: 'an address such as https://farhand.example.org, without query, fragment or user name',
  read(value) {
    const url = plainUrl(value)
    return url && url.origin + url.pathname.replace(/\/+$/, '')
  },
}

/** An absolute http or https URI, unchanged. */
export const absoluteUri: Kind<string> = {
  type: 'URI',
  allowed: 'an absolute http or https URI',
  read: (value) => (webUrl(value) ? value.trim() : undefined),
}

/** Place of releases; plain http is accepted on this machine only. */
export const feedAddress: Kind<string> = {
  type: 'string',
  allowed: 'an https address without query, fragment or user name, or an absolute folder',
  read(value) {
    const given = value.trim()
    return isAbsolute(given) || isFeedUrl(URL.parse(given)) ? given : undefined
  },
}

/** Address of a Redis server, with login and number of the database where these are needed. */
export const redisAddress: Kind<string> = {
  type: 'URI',
  allowed: 'an address such as rediss://user:password@redis.example.org:6379/0',
  read(value) {
    const url = URL.parse(value.trim())
    return url && ['redis:', 'rediss:'].includes(url.protocol) && url.hostname !== '' ? value.trim() : undefined
  },
}

export const connectionString: Kind<string> = {
  type: 'string',
  allowed: 'a connection string as Azure shows it: InstrumentationKey=<GUID>;IngestionEndpoint=https://…',
  read: (value) => (isConnectionString(value) ? value : undefined),
}

export const origin: Kind<string> = {
  type: 'string',
  allowed: 'an origin such as https://app.example.org',
  read(value) {
    const url = plainUrl(value)
    return url?.pathname === '/' ? url.origin : undefined
  },
}

export const ipAddress: Kind<string> = {
  type: 'string',
  allowed: 'an IP address such as 10.0.0.1 or fd00::1',
  read: (value) => (isIP(value.trim()) ? value.trim() : undefined),
}

export const network: Kind<string> = {
  type: 'string',
  allowed: 'a CIDR range such as 10.0.0.0/8',
  read(value) {
    const [address = '', bits = '', ...more] = value.trim().split('/')
    const family = isIP(address)
    const isRange = family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)
    return isRange && more.length === 0 ? value.trim() : undefined
  },
}

/** An address to listen on. `host` is a name, an IP address without brackets, or `*` for every interface. */
export interface ListenAddress {
  scheme: 'http' | 'https'
  host: string
  port: number
}

function listenAddress(value: string): ListenAddress | undefined {
  const url = plainUrl(value)
  if (url?.pathname !== '/') {
    return undefined
  }
  const scheme = url.protocol === 'https:' ? 'https' : 'http'
  const defaultPort = scheme === 'https' ? 443 : 80
  const host = url.hostname === '+' ? '*' : url.hostname.replace(/^\[|\]$/g, '')
  return { scheme, host, port: url.port === '' ? defaultPort : Number(url.port) }
}

const split = (value: string) =>
  value
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')

export const listenAddresses: Kind<ListenAddress[]> = {
  type: 'string',
  allowed: 'addresses such as http://127.0.0.1:5120 with ; between them, each http or https, host and port only',
  read(value) {
    const addresses = split(value).map(listenAddress)
    const valid = addresses.filter((address) => address !== undefined)
    return valid.length > 0 && valid.length === addresses.length ? valid : undefined
  },
}

/** Host names separated by `;`; `*` matches any. */
export const hosts: Kind<string[]> = {
  type: 'string',
  allowed: 'host names with ; between them, or *',
  read: (value) => (split(value).length > 0 ? split(value) : undefined),
}
