import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { SettingRow } from './keys.ts'
import { canonical, isGroup, nearestKey, prefix, rowOf } from './setting-names.ts'
import type { Problem } from './config-error.ts'

export type Source = 'default' | 'file' | 'environment' | 'secrets directory'

/** A text from a source, with a description of its place. */
export interface Given {
  text: string
  source: Source
  origin: string
  /** Number of the layer; the highest wins. */
  layer: number
}

/** Given values, by canonical name: `appoptions:knownproxies:0`. */
export type AllGiven = Map<string, Given>

/** Results of all sources so far. */
export interface Collected {
  given: AllGiven
  problems: Problem[]
  warnings: string[]
  layers: number
}

export const nothingCollected = (): Collected => ({ given: new Map(), problems: [], warnings: [], layers: 0 })

/** A name as written in a source, with its text and a description of its place. */
interface Entry {
  name: string
  text: string
  origin: string
}

interface Layer {
  source: Source
  entries: readonly Entry[]
  /** All names are for this program: an unknown name is probably a typo. */
  ours: boolean
}

function misuse(row: SettingRow, item: string): string | undefined {
  if (row.many === 'list' && !/^\d{1,4}$/.test(item)) {
    return `is a list: give its items as ${row.key}__0, ${row.key}__1`
  }
  if (row.many === 'map' && item === '') {
    return `is a group: give its items as ${row.key}__<name>`
  }
  if (row.many === undefined && item !== '') {
    return 'takes one value, not nested ones'
  }
  return undefined
}

/** Adds the entries of one layer; later layers win. */
export function addLayer(collected: Collected, layer: Layer): void {
  const { given, problems, warnings } = collected
  collected.layers += 1
  const seen = new Map<string, string>()
  for (const { name, text, origin } of layer.entries) {
    const key = canonical(name)
    const found = rowOf(key)
    if (!found) {
      if (layer.ours && isGroup(key)) {
        problems.push({ key: name, source: origin, message: 'is a group of keys and takes no value itself' })
      } else if (layer.ours) {
        const nearest = nearestKey(key)
        warnings.push(`${origin} is not a known key${nearest ? `; did you mean ${nearest}?` : '.'}`)
      }
      continue
    }
    const { row, item } = found
    if (text === '' && !row.emptyMeansOff) {
      continue
    }
    const wrong = misuse(row, item)
    const twin = seen.get(key)
    if (wrong !== undefined) {
      problems.push({ key: row.key, source: origin, message: wrong })
      continue
    }
    if (twin !== undefined && given.get(key)?.text !== text) {
      problems.push({ key: row.key, source: origin, message: `is given twice with different values, also as ${twin}` })
    }
    seen.set(key, origin)
    given.set(key, { text, source: layer.source, origin, layer: collected.layers })
  }
}

const isPrefixed = (name: string) => name.toLowerCase().startsWith(prefix.toLowerCase())

/** Adds names with and without the prefix, as two layers: prefixed names win. */
function addBothForms(collected: Collected, source: Source, entries: readonly Entry[]): void {
  const prefixed = entries.filter(({ name }) => isPrefixed(name))
  const withoutPrefix = prefixed.map((entry) => ({ ...entry, name: entry.name.slice(prefix.length) }))
  addLayer(collected, { source, ours: false, entries: entries.filter(({ name }) => !isPrefixed(name)) })
  addLayer(collected, { source, ours: true, entries: withoutPrefix })
}

export function addEnvironment(collected: Collected, env: Record<string, string | undefined>): void {
  const entries = Object.entries(env).flatMap(([name, text]) =>
    text === undefined ? [] : [{ name, text, origin: `environment variable ${name}` }],
  )
  addBothForms(collected, 'environment', entries)
}

/** Leaf values of a JSON tree, with their names. */
function* flatten(value: unknown, name: string): Generator<[string, string]> {
  if (typeof value === 'object' && value !== null) {
    for (const [member, inner] of Object.entries(value)) {
      yield* flatten(inner, name ? `${name}:${member}` : member)
    }
  } else {
    yield [name, value === null ? '' : `${value as string | number | boolean}`]
  }
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : 'unreadable')

/** Reads a JSON settings file. False if it is missing, which is a problem only with `mustExist`. */
export function addFile(collected: Collected, file: string, mustExist: boolean): boolean {
  const problem = (message: string) => collected.problems.push({ key: 'ConfigFile', source: file, message })
  let text: string
  try {
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    const isMissing = codeOf(error) === 'ENOENT'
    if (!isMissing || mustExist) {
      problem(isMissing ? 'names a file that does not exist' : `cannot be read (${codeOf(error)})`)
    }
    return false
  }
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch (error) {
    // The parser's message quotes the file, which may contain secrets: only the position is used.
    const place = error instanceof Error ? /\(line \d+ column \d+\)/.exec(error.message)?.[0] : undefined
    problem(['is not valid JSON', place].filter(Boolean).join(' '))
    return true
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    problem('must hold one JSON object')
    return true
  }
  const entries = flatten(content, '').map(([name, text]) => ({ name, text, origin: `"${name}" in ${file}` }))
  addLayer(collected, { source: 'file', ours: true, entries: [...entries] })
  return true
}

/** Reads a directory with one key per file. A line break at the end of a file is removed. */
export function addSecretsDirectory(collected: Collected, directory: string): void {
  const problem = (source: string, error: unknown) => {
    const message = `cannot be read (${codeOf(error)})`
    collected.problems.push({ key: 'AppOptions__EnableDockerSecrets', source, message })
  }
  let names: string[]
  try {
    names = readdirSync(directory).toSorted()
  } catch (error) {
    problem(directory, error)
    return
  }
  const entries: Entry[] = []
  for (const name of names) {
    const path = join(directory, name)
    // The directory may contain secrets of other programs: those are not opened.
    if (!isPrefixed(name) && !rowOf(canonical(name))) {
      continue
    }
    try {
      if (statSync(path).isFile()) {
        entries.push({ name, text: readFileSync(path, 'utf8').replace(/\r?\n$/, ''), origin: path })
      }
    } catch (error) {
      problem(path, error)
    }
  }
  addBothForms(collected, 'secrets directory', entries)
}
