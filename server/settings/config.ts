import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { checkTogether } from './check-together.ts'
import { bool } from './kinds.ts'
import { settingRows, type Settings } from './keys.ts'
import { canonical } from './setting-names.ts'
import { ConfigError } from './config-error.ts'
import {
  addEnvironment,
  addFile,
  addLayer,
  addSecretsDirectory,
  nothingCollected,
  type AllGiven,
  type Source,
} from './sources.ts'
import { emptyPromises, readSettings, shownText, sourceOf } from './read-settings.ts'
import { preparedProblem } from '../ground/prepared-path.ts'

/** Every setting, read once at start and passed in. Nested as in `settings/keys.ts`; paths are absolute. */
export type Config = Omit<Settings, 'port' | 'configFile'> & {
  /** The settings file that was read. */
  settingsFile: string | undefined
  /** By key, without prefix: `AppOptions__EnableCors`. */
  sources: ReadonlyMap<string, Source>
  /** Given texts for people, by the same keys; without secrets. */
  texts: ReadonlyMap<string, string>
  /** Given texts by name, secrets included, as a settings file may hold them: for encrypted copies alone. */
  givenTexts: Readonly<Record<string, string>>
  /** Warnings about probable mistakes, for the log. They contain no values. */
  warnings: string[]
}

/** The environment of this process, read nowhere else in the server. */
export const environment = (): Record<string, string | undefined> => ({ ...process.env })

/** Folders that Windows names in the environment. */
export const systemFolders = () => ({
  windows: process.env['SystemRoot'] ?? String.raw`C:\Windows`,
  programData: process.env['ProgramData'] ?? String.raw`C:\ProgramData`,
  programFiles: process.env['ProgramW6432'] ?? process.env['ProgramFiles'] ?? String.raw`C:\Program Files`,
})

export interface ConfigInput {
  env: Record<string, string | undefined>
  /** Built-in defaults that this host replaces, by key: `{ DataDirectory: '/home/me/.config/farhand' }`. */
  defaults?: Record<string, string>
  /** Overrides `ConfigFile`; must exist. */
  configFile?: string | undefined
  /** Base of relative paths. */
  workingDirectory?: string
  secretsDirectory?: string
}

/** Reads all sources; throws a `ConfigError` that lists every problem. */
export function loadConfig(input: ConfigInput): Config {
  const absolute = (path: string) => resolve(input.workingDirectory ?? process.cwd(), path)
  const { collected, settingsFile } = collect(input, absolute)
  const { given, problems, warnings } = collected
  const { port, configFile: _configFile, ...settings } = readSettings(collected)
  problems.push(...checkTogether(given, warnings), ...emptyPromises(collected))
  if (problems.length > 0) {
    throw new ConfigError(problems)
  }
  const portLayer = givenFor(given, 'PORT')?.layer ?? 0
  const urlsLayer = givenFor(given, 'Urls')?.layer ?? 0
  return {
    ...settings,
    urls: port !== undefined && portLayer > urlsLayer ? [{ scheme: 'http', host: '127.0.0.1', port }] : settings.urls,
    dataDirectory: absolute(settings.dataDirectory),
    tls: {
      ...settings.tls,
      certificatePath: settings.tls.certificatePath && absolute(settings.tls.certificatePath),
      keyPath: settings.tls.keyPath && absolute(settings.tls.keyPath),
    },
    logging: { ...settings.logging, directory: settings.logging.directory && absolute(settings.logging.directory) },
    keyProtectionOptions: {
      ...settings.keyProtectionOptions,
      certificatePath:
        settings.keyProtectionOptions.certificatePath && absolute(settings.keyProtectionOptions.certificatePath),
    },
    downloadsDirectory: settings.downloadsDirectory && absolute(settings.downloadsDirectory),
    settingsFile,
    sources: new Map(settingRows.map((row) => [row.key, sourceOf(row, given)])),
    texts: new Map(
      settingRows.flatMap((row) => {
        const text = shownText(row, given)
        return text === undefined ? [] : [[row.key, text] as const]
      }),
    ),
    givenTexts: givenTextsOf(given),
    warnings,
  }
}

/** Settings that apply to one computer only, so a backup leaves them out. */
const ofThisComputer = new Set(['DataDirectory', 'ConfigFile'].map(canonical))

const givenTextsOf = (given: AllGiven) =>
  Object.fromEntries(
    [...given]
      .filter(([name, { source }]) => source !== 'default' && !ofThisComputer.has(name))
      .map(([name, { text }]) => [name, text]),
  )

const givenFor = (given: AllGiven, key: string) => given.get(canonical(key))

/** Reads all sources in order. */
function collect(input: ConfigInput, absolute: (path: string) => string) {
  const collected = nothingCollected()
  const defaults = Object.entries(input.defaults ?? {})
  const entries = defaults.map(([name, text]) => ({ name, text, origin: `default ${name}` }))
  addLayer(collected, { source: 'default', ours: true, entries })

  // The environment names the settings file but also overrides it: read it first, add it later.
  const ahead = nothingCollected()
  addEnvironment(ahead, input.env)
  const named = input.configFile ?? givenFor(ahead.given, 'ConfigFile')?.text
  const file = absolute(named ?? 'appsettings.json')
  const prepared = named === undefined && existsSync(file) ? preparedProblem(file) : undefined
  if (prepared !== undefined) {
    const message = `is not read: ${prepared}, or name the file with --config`
    collected.problems.push({ key: 'ConfigFile', source: file, message })
  }
  const hasFile = addFile(collected, file, named !== undefined)
  addEnvironment(collected, input.env)

  const wantsSecrets = givenFor(collected.given, 'AppOptions__EnableDockerSecrets')
  if (wantsSecrets && bool.read(wantsSecrets.text)) {
    addSecretsDirectory(collected, input.secretsDirectory ?? '/run/secrets')
  }
  return { collected, settingsFile: hasFile ? file : undefined }
}
