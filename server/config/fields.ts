import { isIP } from 'node:net'
import { z } from 'zod'
import { id } from '../../shared/contract/fields.ts'

/** What the table prints about one key, and how the loader treats it. The value's shape is the zod schema beside it. */
export interface Setting {
  description: string
  type: string
  /** The text that is read when no source gives the key. Empty: the key is optional. */
  fallback: string
  /** Full key, where it does not follow from the place in the table. */
  key?: string
  /** Its value is never printed. */
  secret?: true
  /** An empty text is a value ("off") here, not an unset key. */
  emptyMeansOff?: true
  /** A value that cannot be read is left out with this warning instead of stopping the start. */
  lenient?: string
  /** What the table prints as the default when the code that uses the key chooses it. */
  shownDefault?: string
  /** Nothing uses it yet: all of it, or all items of a map but `default`. A start that gives it says so. */
  unused?: 'whole' | 'items'
  /** Several values: `list` by index, `map` by name. */
  many?: 'list' | 'map'
}

/** The `Setting` of every schema in the table. */
export const settingRegistry = z.registry<Setting>()

/** A kind of value: `read` answers undefined for a text that is not `allowed`. */
interface Kind<T> {
  type: string
  allowed: string
  read(text: string): T | undefined
}

type Details = Omit<Setting, 'description' | 'type' | 'fallback' | 'many'>

const reader = <T>(kind: Kind<T>) =>
  z.string().transform((text, context) => {
    const value = kind.read(text)
    if (value !== undefined) {
      return value
    }
    context.addIssue({ code: 'custom', message: `must be ${kind.allowed}` })
    return z.NEVER
  })

/** A key that always has a value. */
export const required = <T>(kind: Kind<T>, fallback: string, description: string, details: Details = {}) =>
  reader(kind).register(settingRegistry, { ...details, type: kind.type, fallback, description })

/** A key that may be undefined; `fallback` is what an unset key reads as. */
export const optional = <T>(kind: Kind<T>, description: string, details: Details & { fallback?: string } = {}) => {
  const field = details.lenient ? z.string().transform((text) => kind.read(text)) : reader(kind)
  return field.optional().register(settingRegistry, { fallback: '', ...details, type: kind.type, description })
}

/** A key with items by index: `Key__0`, `Key__1` … */
export const list = <T>(kind: Kind<T>, description: string) =>
  z
    .array(reader(kind))
    .register(settingRegistry, { type: `${kind.type}[]`, fallback: '', description, many: 'list', shownDefault: '[]' })

/** A key with items by name: `Key__<name>`, names in lower case. The item `default` always has a value. */
export const map = <T>(kind: Kind<T>, fallback: string, description: string, details: Details = {}) =>
  z
    .object({ default: reader(kind) })
    .catchall(reader(kind))
    .register(settingRegistry, {
      ...details,
      type: kind.type,
      fallback,
      description,
      many: 'map',
      shownDefault: `Default: ${fallback}`,
    })

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

/** One of `values`, in any letter case. */
export const choice = <const V extends string>(...values: V[]): Kind<V> => ({
  type: values.join(', '),
  allowed: `one of ${values.join(', ')}`,
  read: (value) => values.find((candidate) => candidate.toLowerCase() === value.trim().toLowerCase()),
})

/** `hh:mm:ss` or `d.hh:mm:ss`, read as milliseconds. */
export const duration: Kind<number> = {
  type: 'duration',
  allowed: 'a duration such as 00:01:00 (hh:mm:ss) or 7.00:00:00 (d.hh:mm:ss)',
  read(value) {
    const parts = /^(?:(\d{1,7})\.)?(\d{1,2}):(\d{1,2}):(\d{1,2})$/.exec(value.trim())
    if (!parts) {
      return undefined
    }
    const [days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0))
    if (days === undefined || hours === undefined || minutes === undefined || seconds === undefined) {
      return undefined
    }
    if (hours > 23 || minutes > 59 || seconds > 59) {
      return undefined
    }
    return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000
  },
}

function webUrl(value: string): URL | undefined {
  const url = URL.parse(value.trim())
  return url && /^https?:$/.test(url.protocol) && url.hostname ? url : undefined
}

/** An http or https address without query, fragment or credentials; read without the slash at its end. */
export const webAddress: Kind<string> = {
  type: 'URI',
  allowed: 'an address such as https://farhand.example.org, without query, fragment or user name',
  read(value) {
    const url = webUrl(value)
    if (!url || url.search || url.hash || url.username || url.password) {
      return undefined
    }
    return url.origin + url.pathname.replace(/\/+$/, '')
  },
}

/** An absolute http or https URI, kept as written. */
export const absoluteUri: Kind<string> = {
  type: 'URI',
  allowed: 'an absolute http or https URI',
  read: (value) => (webUrl(value) ? value.trim() : undefined),
}

export const origin: Kind<string> = {
  type: 'string',
  allowed: 'an origin such as https://app.example.org',
  read(value) {
    const url = webUrl(value)
    return url && url.pathname === '/' && !url.search && !url.hash && !url.username ? url.origin : undefined
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

/** One address to listen on. `host` is a name, an IP address without brackets, or `*` for every interface. */
export interface ListenAddress {
  scheme: 'http' | 'https'
  host: string
  port: number
}

function listenAddress(value: string): ListenAddress | undefined {
  const url = webUrl(value)
  if (!url || url.pathname !== '/' || url.search || url.hash || url.username || url.password) {
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

/** Host names with `;` between them; `*` stands for any. */
export const hosts: Kind<string[]> = {
  type: 'string',
  allowed: 'host names with ; between them, or *',
  read: (value) => (split(value).length > 0 ? split(value) : undefined),
}
