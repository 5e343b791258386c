import { guidPattern } from '../../shared/guid.ts'
import { settingRows } from '../settings/keys.ts'
import type { Config } from '../settings/config.ts'

const removed = '[removed]'
const leastSecret = 4

/** Values of all settings that are secrets. */
export function secretsOf(config: Config): string[] {
  const groups = config as unknown as Record<string, Record<string, unknown>>
  return settingRows
    .filter(({ secret }) => secret)
    .map(({ group, name }) => groups[group]?.[name])
    .filter((value): value is string => typeof value === 'string' && value.length >= leastSecret)
}

/**
 * Whether a text without spaces looks like a key, a token or a hash. Ids are none, and paths mostly use one case: a
 * path that is removed by mistake is a smaller loss than a key that is not.
 */
const isRandom = (text: string) =>
  !guidPattern.test(text) && /\d/.test(text) && (!text.includes('/') || (/[a-z]/.test(text) && /[A-Z]/.test(text)))

/** Texts that look like secrets, whatever the name of their member. */
const patterns: readonly [pattern: RegExp, replacement: string | ((text: string) => string)][] = [
  [/-----BEGIN [^-]+-----[\s\S]*?(-----END [^-]+-----|$)/g, removed],
  [/\b(Bearer|Basic|Negotiate)\s+[\w.~+/=-]+/gi, `$1 ${removed}`],
  [/\b(\w+:\/\/)[^\s/@"']+@/g, `$1${removed}@`],
  // Each takes all that follows: from a later "?" it would read the same again, in a time that grows with the square of the text.
  [/(?:\?|%3F)[^\s"'\\]*/gi, (query) => (query.includes('=') ? `?${removed}` : query)],
  [/((?:password|secret|token|key|code|cookie)\\*["']?\s*[=:]\s*\\*["']?)[^\s"',;&}\\]+/gi, `$1${removed}`],
  [/[\w+/=-]{24,}/g, (text) => (isRandom(text) ? removed : text)],
  [/\b[A-Z0-9]{4,5}(?:-[A-Z0-9]{4,5}){2,}\b/g, removed],
]

const escaped = (text: string) => JSON.stringify(text).slice(1, -1)

/** Removes from a text the given secrets, and everything that looks like one. */
export function scrub(text: string, secrets: readonly string[]): string {
  let scrubbed = text
  for (const secret of secrets) {
    for (const encoded of [secret, escaped(secret), escaped(escaped(secret)), encodeURIComponent(secret)]) {
      scrubbed = scrubbed.replaceAll(encoded, removed)
    }
  }
  for (const [pattern, replacement] of patterns) {
    scrubbed =
      typeof replacement === 'string'
        ? scrubbed.replaceAll(pattern, replacement)
        : scrubbed.replaceAll(pattern, (match) => replacement(match))
  }
  return scrubbed
}
