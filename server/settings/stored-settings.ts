import { isIP } from 'node:net'
import { z } from 'zod'
import { Mutex } from '../../shared/mutex.ts'
import type { Config } from './config.ts'
import { settingRows, type SettingRow } from './keys.ts'
import { bool, feedAddress, int, long, webAddress, type Kind } from './kinds.ts'

/** Part of the Server page that edits a setting. */
export type StoredGroup = 'mail' | 'dashboard' | 'limits' | 'people' | 'updates' | 'decommission'

interface Storable {
  group: StoredGroup
  /** Accepted values: narrower than in a file where a page could do harm. */
  kind: Kind<unknown>
}

const matching = (pattern: RegExp, allowed: string): Kind<string> => ({
  type: 'string',
  allowed,
  read: (value) => (pattern.test(value) ? value : undefined),
})

const line = (most: number) =>
  matching(new RegExp(`^[^\\x00-\\x1f\\x7f-\\x9f]{1,${most}}$`), `at most ${most} characters in one line`)
const host: Kind<string> = {
  type: 'string',
  allowed: 'a host name or an IP address, without a port',
  read: (value) => (isIP(value) || /^[\w.-]{1,253}$/.test(value) ? value : undefined),
}
const address: Kind<string> = {
  type: 'string',
  allowed: 'an e-mail address',
  read: (value) => z.email().max(256).safeParse(value).data,
}

const mostDays = 36_500
/** Shorter logs would let whoever may change settings remove the traces of yesterday. */
const leastLogDays = 30

const days = (least: number): Kind<number> => ({
  type: 'int',
  allowed: `0 for ever, or ${least} to ${mostDays} days`,
  read: (value) => {
    const number = int(0, mostDays).read(value)
    return number === undefined || (number > 0 && number < least) ? undefined : number
  },
})

/** A limit below 1 MB or above 1 TB is a typing error. */
const fileSize: Kind<number> = {
  type: 'long',
  allowed: '0 for no limit, or 1 MB to 1 TB in bytes',
  read: (value) => {
    const bytes = long.read(value)
    return bytes === 0 || (bytes !== undefined && bytes >= 1024 ** 2 && bytes <= 1024 ** 4) ? bytes : undefined
  },
}

/** Above a tenth of a terabyte, most disks would refuse every upload. */
const freeSpace: Kind<number> = {
  type: 'long',
  allowed: '0 for no limit, or 1 MB to 100 GB in bytes',
  read: (value) => {
    const bytes = long.read(value)
    return bytes === 0 || (bytes !== undefined && bytes >= 1024 ** 2 && bytes <= 100 * 1024 ** 3) ? bytes : undefined
  },
}

/** Settings that an administrator may store; the others need a file or the environment. All work without a restart. */
const storable: Readonly<Record<string, Storable>> = {
  AppOptions__DisableEmailSending: { group: 'mail', kind: bool },
  AppOptions__SmtpHost: { group: 'mail', kind: host },
  AppOptions__SmtpPort: { group: 'mail', kind: int(1, 65535) },
  AppOptions__SmtpUserName: { group: 'mail', kind: line(256) },
  AppOptions__SmtpPassword: { group: 'mail', kind: line(512) },
  AppOptions__SmtpEmail: { group: 'mail', kind: address },
  AppOptions__SmtpDisplayName: { group: 'mail', kind: line(100) },
  AppOptions__SmtpLocalDomain: { group: 'mail', kind: host },
  TelemetryDashboard__PublicWebUrl: { group: 'dashboard', kind: webAddress },
  TelemetryDashboard__Token: { group: 'dashboard', kind: line(512) },
  AppOptions__MaxFileTransferSize: { group: 'limits', kind: fileSize },
  AppOptions__MinFreeDiskSpace: { group: 'limits', kind: freeSpace },
  AppOptions__AuditLogRetentionDays: { group: 'limits', kind: days(leastLogDays) },
  AppOptions__AuthorizationChangeLogRetentionDays: { group: 'limits', kind: days(leastLogDays) },
  AppOptions__AgentInstallerKeyHistoryDays: { group: 'limits', kind: days(1) },
  AppOptions__ExternalUserCleanupAfterDays: { group: 'limits', kind: days(1) },
  AppOptions__ServiceAccountCredentialCleanupAfterDays: { group: 'limits', kind: days(1) },
  AppOptions__EnablePublicRegistration: { group: 'people', kind: bool },
  AppOptions__AuthenticatorIssuerName: { group: 'people', kind: line(100) },
  AppOptions__DisableDesktopPreview: { group: 'people', kind: bool },
  Updates__Feed: { group: 'updates', kind: feedAddress },
  Updates__AgentRings: { group: 'updates', kind: bool },
  ServerLifecycle__DecommissionServer: { group: 'decommission', kind: bool },
}

/** Secrets with the settings that decide where they are sent. */
const boundSecrets = [
  {
    secret: 'AppOptions__SmtpPassword',
    place: ['AppOptions__SmtpHost', 'AppOptions__SmtpPort', 'AppOptions__SmtpUserName'],
  },
  { secret: 'TelemetryDashboard__Token', place: ['TelemetryDashboard__PublicWebUrl'] },
] as const

export interface StorableSetting extends Storable {
  row: SettingRow
}

export const storableSettings: ReadonlyMap<string, StorableSetting> = new Map(
  settingRows.flatMap((row) => {
    const found = storable[row.key]
    return found ? [[row.key, { ...found, row }] as const] : []
  }),
)

/** Stored texts by key. */
export type StoredTexts = ReadonlyMap<string, string>

type Groups = Record<string, Record<string, unknown>>

/** The settings in force: those of file and environment, and in place of defaults those that are stored. */
export class StoredSettings {
  /** Read by the whole server; changes of stored settings appear in it. */
  readonly config: Config
  /** Changes are made one at a time. */
  readonly changes = new Mutex()
  readonly #given: Config
  readonly #onApplied: () => void
  #texts: StoredTexts = new Map()

  constructor(given: Config, onApplied: () => void) {
    this.#given = given
    this.#onApplied = onApplied
    this.config = {
      ...given,
      appOptions: { ...given.appOptions },
      telemetryDashboard: { ...given.telemetryDashboard },
      updates: { ...given.updates },
      serverLifecycle: { ...given.serverLifecycle },
    }
  }

  get texts(): StoredTexts {
    return this.#texts
  }

  /**
   * Keys whose values in file or environment keep a stored value from use. A secret and the place that it is sent to come
   * from the same source, so that a stored place never receives the secret of the environment.
   */
  lockedBy(key: string): string[] {
    const bound = boundSecrets.find(({ secret, place }) => [secret, ...place].some((each) => each === key))
    const together: readonly string[] = bound ? [key, bound.secret, ...bound.place] : [key]
    return [...new Set(together)].filter((each) => this.#given.sources.get(each) !== 'default')
  }

  /** Key of a secret that these texts would send to a place for which it was not entered; undefined if there is none. */
  misdirectedSecret(texts: StoredTexts, entered: ReadonlySet<string>): string | undefined {
    return boundSecrets.find(
      ({ secret, place }) =>
        texts.has(secret) &&
        !entered.has(secret) &&
        place.some((key) => this.#valueOf(key, texts) !== this.#valueOf(key, this.#texts)),
    )?.secret
  }

  /** Replaces the stored texts and brings `config` up to date. Values that are no longer valid count as not stored. */
  apply(texts: StoredTexts): void {
    this.#texts = texts
    for (const [key, { row }] of storableSettings) {
      const group = (this.config as unknown as Groups)[row.group]!
      group[row.name] = this.#valueOf(key, texts)
    }
    this.#onApplied()
  }

  /** Value in force with these stored texts. */
  #valueOf(key: string, texts: StoredTexts): unknown {
    const { row, kind } = storableSettings.get(key)!
    const text = texts.get(key)
    return text === undefined || this.lockedBy(key).length > 0 || kind.read(text) === undefined
      ? (this.#given as unknown as Groups)[row.group]![row.name]
      : row.toValue(new Map([['', text]]))
  }
}
