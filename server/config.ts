import { resolve } from 'node:path'
import { z } from 'zod'
import { checkTogether } from './config/checks.ts'
import { bool } from './config/fields.ts'
import { settingRows, settingsSchema, type SettingRow } from './config/keys.ts'
import { canonical } from './config/names.ts'
import { ConfigError, type Problem } from './config/problem.ts'
import {
  addEnvironment,
  addFile,
  addLayer,
  addSecretsDirectory,
  nothingCollected,
  type AllGiven,
  type Given,
  type Source,
} from './config/sources.ts'

export { parseArguments } from './config/arguments.ts'
export { ConfigError } from './config/problem.ts'
export { printConfigTable } from './config/table.ts'

/** Every setting, read once at start and passed in. Nested as in `config/keys.ts`; paths are absolute. */
export type Config = Omit<z.output<typeof settingsSchema>, 'port' | 'configFile'> & {
  /** The settings file that was read. */
  settingsFile: string | undefined
  /** By key, without prefix: `AppOptions__EnableCors`. */
  sources: ReadonlyMap<string, Source>
  /** Sentences about what was probably not meant; to be logged. They hold no values. */
  warnings: string[]
}

/** The environment of this process. The only reading of it in the server. */
export const environment = (): Record<string, string | undefined> => ({ ...process.env })

export interface ConfigInput {
  env: Record<string, string | undefined>
  /** Built-in defaults that this host replaces, by key: `{ DataDirectory: '/home/me/.config/farhand' }`. */
  defaults?: Record<string, string>
  /** Wins over `ConfigFile`; must exist. */
  configFile?: string | undefined
  /** Relative paths start here. */
  workingDirectory?: string
  secretsDirectory?: string
}

/** Reads all sources; throws a `ConfigError` that lists every problem. */
export function loadConfig(input: ConfigInput): Config {
  const absolute = (path: string) => resolve(input.workingDirectory ?? process.cwd(), path)
  const { collected, settingsFile } = collect(input, absolute)
  const { given, warnings } = collected

  // Read once: compiling the schema would take longer than walking it.
  const parsed = settingsSchema.safeParse(toInput(given), { jitless: true })
  const problems = [
    ...collected.problems,
    ...(parsed.error?.issues ?? []).map((issue) => toProblem(issue, given)),
    ...checkTogether(given, warnings),
  ]
  if (!parsed.success || problems.length > 0) {
    throw new ConfigError(problems)
  }

  for (const { key, lenient, field } of settingRows) {
    const value = givenFor(given, key)
    if (lenient && value && z.safeParse(field, value.text).data === undefined) {
      warnings.push(`${value.origin} ${lenient}.`)
    }
  }
  const unused = settingRows.flatMap((row) => unusedNames(row, given))
  if (unused.length > 0) {
    warnings.push(`Not used yet and without effect: ${unused.join(', ')}.`)
  }
  const { port, configFile: _configFile, ...settings } = parsed.data
  const portLayer = givenFor(given, 'PORT')?.layer ?? 0
  const urlsLayer = givenFor(given, 'Urls')?.layer ?? 0
  return {
    ...settings,
    urls: port !== undefined && portLayer > urlsLayer ? [{ scheme: 'http', host: '127.0.0.1', port }] : settings.urls,
    dataDirectory: absolute(settings.dataDirectory),
    downloadsDirectory: settings.downloadsDirectory && absolute(settings.downloadsDirectory),
    settingsFile,
    sources: new Map(settingRows.map((row) => [row.key, sourceOf(row, given)])),
    warnings,
  }
}

const givenFor = (given: AllGiven, key: string) => given.get(canonical(key))

/** Asks every source in order. */
function collect(input: ConfigInput, absolute: (path: string) => string) {
  const collected = nothingCollected()
  const entries = Object.entries(input.defaults ?? {})
  addLayer(collected, { source: 'default', ours: true, origin: (name) => `default ${name}`, entries })

  // The environment names the settings file and yet wins over it: look first, add later.
  const ahead = nothingCollected()
  addEnvironment(ahead, input.env)
  const named = input.configFile ?? givenFor(ahead.given, 'ConfigFile')?.text
  const file = absolute(named ?? 'appsettings.json')
  const hasFile = addFile(collected, file, named !== undefined)
  addEnvironment(collected, input.env)

  const wantsSecrets = givenFor(collected.given, 'AppOptions__EnableDockerSecrets')
  if (wantsSecrets && bool.read(wantsSecrets.text)) {
    addSecretsDirectory(collected, input.secretsDirectory ?? '/run/secrets')
  }
  return { collected, settingsFile: hasFile ? file : undefined }
}

/** The items given for a list, by index, or for a map. */
function itemsOf(row: SettingRow, given: AllGiven): [item: string, Given][] {
  const start = `${canonical(row.key)}:`
  const items = [...given].filter(([key]) => key.startsWith(start))
  const named = items.map(([key, value]): [string, Given] => [key.slice(start.length), value])
  return row.many === 'list' ? named.toSorted(([a], [b]) => Number(a) - Number(b)) : named
}

/** What was given of a key that nothing uses. */
function unusedNames({ unused, ...row }: SettingRow, given: AllGiven): string[] {
  if (unused === 'items') {
    return itemsOf(row, given).flatMap(([item]) => (item === 'default' ? [] : [`${row.key}__${item}`]))
  }
  return unused && givenFor(given, row.key) ? [row.key] : []
}

/** What the schema of one key reads: a text, texts by index, or texts by name. */
function textOf(row: SettingRow, given: AllGiven): unknown {
  if (row.many === 'list') {
    return itemsOf(row, given).map(([_index, { text }]) => text)
  }
  if (row.many === 'map') {
    return { default: row.fallback, ...Object.fromEntries(itemsOf(row, given).map(([name, { text }]) => [name, text])) }
  }
  // Only a key for which empty means "off" is ever given as an empty text.
  return (givenFor(given, row.key)?.text ?? row.fallback) || undefined
}

function toInput(given: AllGiven): unknown {
  const groups = Map.groupBy(settingRows, (row) => row.group)
  const members = [...groups].map(([group, rows]) => ({
    group,
    texts: Object.fromEntries(rows.map((row) => [row.name, textOf(row, given)])),
  }))
  const top = members.find(({ group }) => group === '')?.texts
  return { ...Object.fromEntries(members.map(({ group, texts }) => [group, texts])), ...top }
}

function sourceOf(row: SettingRow, given: AllGiven): Source {
  const values = row.many ? itemsOf(row, given).map(([_item, value]) => value) : [givenFor(given, row.key)]
  const strongest = values.reduce((best, value) => ((value?.layer ?? 0) > (best?.layer ?? 0) ? value : best), undefined)
  return strongest?.source ?? 'default'
}

/** A person's view of a refused value. Secrets are never quoted, nor are passwords inside an address. */
function toProblem(issue: z.core.$ZodIssue, given: AllGiven): Problem {
  const path = issue.path.map(String)
  const row = settingRows.find(({ group, name }) =>
    group === '' ? path[0] === name : path[0] === group && path[1] === name,
  )
  if (!row) {
    return { key: path.join('.'), source: 'unknown', message: issue.message }
  }
  const item = path.slice(row.group === '' ? 1 : 2)[0]
  const items = itemsOf(row, given)
  const found = row.many === 'list' ? items[Number(item)] : items.find(([name]) => name === item)
  const value = row.many ? found?.[1] : givenFor(given, row.key)
  const quoted = JSON.stringify(value?.text.replaceAll(/\/\/[^/]*@/g, '//…@').slice(0, 80))
  return {
    key: found ? `${row.key}__${found[0]}` : row.key,
    source: value?.origin ?? 'default',
    message: row.secret ? issue.message : `${issue.message}, but is ${quoted}`,
  }
}
