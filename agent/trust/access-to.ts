import { dayMs } from '../../shared/durations.ts'
import type { ReleaseKey } from '../../shared/agent-release.ts'
import { bestEffort } from '../base/best-effort.ts'
import { systemClock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Paths } from '../base/paths.ts'
import { loadSettings, saveSettings, type Settings } from './settings.ts'
import { openAccess, type ServerAccess } from './access.ts'
import { enrollmentOf } from './enrollment.ts'
import { readEncounter, writeEncounter } from './encounters.ts'
import { PinnedAccess } from './pinned-access.ts'
import type { WrongIdentity } from './problems.ts'

type Addresses = NonNullable<Settings['AppOptions']['ServerAddresses']>

/** Interval after which an unchanged statement is saved again. */
const keptForMs = dayMs
const repeatMs = 10 * 60_000

function isWorthKeeping(known: Addresses | undefined, next: Addresses): boolean {
  const comparable = ({ IssuedAt, ExpiresAt, ...others }: Addresses) =>
    JSON.stringify([others, ExpiresAt === undefined])
  return (
    !known ||
    comparable(known) !== comparable(next) ||
    Math.abs(Date.parse(next.IssuedAt) - Date.parse(known.IssuedAt)) > keptForMs
  )
}

/** Updates the server's addresses in the settings on disk, if the settings still belong to this server. */
function keep(paths: Paths, identity: string, change: (known: Addresses | undefined) => Addresses | undefined): void {
  const settings = loadSettings(paths)
  const known = settings?.AppOptions.ServerAddresses
  const next = change(known)
  if (settings?.AppOptions.ServerIdentity === identity && next && isWorthKeeping(known, next)) {
    bestEffort(() =>
      saveSettings(paths, { ...settings, AppOptions: { ...settings.AppOptions, ServerAddresses: next } }),
    )
  }
}

/** Pins the release key of this server in the settings on disk. */
function keepReleaseKey(paths: Paths, identity: string | undefined, ReleaseKey: ReleaseKey): void {
  const settings = loadSettings(paths)
  if (settings && settings.AppOptions.ServerIdentity === identity && settings.AppOptions.ReleaseKey !== ReleaseKey) {
    bestEffort(() => saveSettings(paths, { ...settings, AppOptions: { ...settings.AppOptions, ReleaseKey } }))
  }
}

/** Records an encounter with a wrong server: in the log, for `status`, and for a later report to the server. */
function strangerWatch(paths: Paths, log: Log | undefined) {
  return ({ address, expected, seen, message }: WrongIdentity) => {
    const atMs = systemClock.now()
    const last = readEncounter(paths)
    const isNew = last?.address !== address || last.seen !== seen || Math.abs(atMs - last.atMs) > repeatMs
    if (isNew) {
      log?.error({}, message)
      writeEncounter(paths, { atMs, address, expected, seen, isTold: false })
    }
  }
}

export function accessTo(paths: Paths, { AppOptions }: Settings, log?: Log): ServerAccess {
  const { ServerUri, ServerIdentity: pin, ServerIdentityKey: key = null, ServerAddresses: addresses } = AppOptions
  if (!pin) {
    return openAccess(ServerUri, { key: AppOptions.ReleaseKey, onKey: (named) => keepReleaseKey(paths, pin, named) })
  }
  const [last, ...others] = addresses?.Origins ?? []
  const access: PinnedAccess = new PinnedAccess({
    clock: systemClock,
    trusted: {
      pin,
      key,
      name: addresses?.Name ?? '',
      serverPin: addresses?.ServerPin ?? null,
      issuedAt: addresses?.IssuedAt ?? null,
      expiresAt: addresses?.ExpiresAt ?? null,
      releaseKey: AppOptions.ReleaseKey ?? null,
    },
    origins: [...(last === undefined ? [] : [last]), new URL(ServerUri).origin, ...others],
    onStatement(identity) {
      keep(paths, pin, () => enrollmentOf(identity, access.origin).ServerAddresses)
      if (access.trusted?.releaseKey) {
        keepReleaseKey(paths, pin, access.trusted.releaseKey)
      }
    },
    onMoved: (origin) =>
      keep(paths, pin, (known) => known && { ...known, Origins: [...new Set([origin, ...known.Origins])] }),
    onStranger: strangerWatch(paths, log),
  })
  return access
}
