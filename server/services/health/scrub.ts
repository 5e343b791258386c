import { settingRows } from '../../config/keys.ts'
import type { Config } from '../../config.ts'

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

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Texts that look like secrets, whatever the name of their member. */
const patterns: readonly [pattern: RegExp, replacement: string | ((text: string) => string)][] = [
  [/-----BEGIN [^-]+-----[\s\S]*?(-----END [^-]+-----|$)/g, removed],
  [/\b(Bearer|Basic|Negotiate)\s+[\w.~+/=-]+/gi, `$1 ${removed}`],
  [/\b(\w+:\/\/)[^\s/@"']+@/g, `$1${removed}@`],
  [/(\?|%3F)[^\s"'\\]+=[^\s"'\\]*/gi, `$1${removed}`],
  [/((?:password|secret|token|key|code|cookie)["']?\s*[=:]\s*["']?)[^\s"',;&}]+/gi, `$1${removed}`],
  // Keys, tokens and hashes have no spaces; names of people, files and devices rarely have 24 such characters in a row.
  [/[\w+/=-]{24,}/g, (text) => (guid.test(text) || !/\d/.test(text) || text.includes('/') ? text : removed)],
  [/\b[A-Za-z2-7]{4}(?:-[A-Za-z2-7]{4,5}){2,}\b/g, removed],
]

/** Removes from a text the given secrets, and everything that looks like one. */
export function scrub(text: string, secrets: readonly string[]): string {
  let scrubbed = text
  for (const secret of secrets) {
    scrubbed = scrubbed.replaceAll(secret, removed)
    scrubbed = scrubbed.replaceAll(JSON.stringify(secret).slice(1, -1), removed)
  }
  for (const [pattern, replacement] of patterns) {
    scrubbed =
      typeof replacement === 'string'
        ? scrubbed.replaceAll(pattern, replacement)
        : scrubbed.replaceAll(pattern, (match) => replacement(match))
  }
  return scrubbed
}
