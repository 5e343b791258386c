import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { WrongIdentityDto } from '../../shared/server-identity.ts'
import { bestEffort } from '../base/best-effort.ts'
import type { Cancel, Clock } from '../base/clock.ts'
import { writeFileAtomically } from '../base/write-file.ts'
import { makePrivateFolder } from '../platform/folders.ts'
import type { Log } from '../base/log.ts'
import type { Paths } from '../base/paths.ts'
import type { ServerAccess } from './access.ts'

const Encounter = z.object({
  atMs: z.number(),
  address: z.string(),
  expected: z.string(),
  seen: z.string(),
  /** Whether the encounter was reported to the server. */
  isTold: z.boolean(),
})
export type Encounter = z.output<typeof Encounter>

/** Last encounter with a wrong server; undefined without an encounter. */
export function readEncounter({ encounterFile }: Paths): Encounter | undefined {
  try {
    return Encounter.safeParse(JSON.parse(readFileSync(encounterFile, 'utf8'))).data
  } catch {
    return undefined
  }
}

export function writeEncounter({ settingsFolder, encounterFile }: Paths, encounter: Encounter): void {
  bestEffort(() => {
    makePrivateFolder(settingsFolder)
    writeFileAtomically(encounterFile, JSON.stringify(encounter))
  })
}

export interface InTouchDependencies {
  paths: Paths
  clock: Clock
  log: Log
  access: Pick<ServerAccess, 'refresh'>
  tell: (stranger: WrongIdentityDto) => Promise<unknown>
  random?: () => number
}

/** Spread of the first refresh: after a restart of the server all agents reconnect at once. */
const refreshWithinMs = 60_000
/** Refresh interval, which bounds the time for which a compromised and replaced server key is still accepted. */
const refreshEveryMs = 15 * 60_000

/**
 * Call when the server has accepted this device: reports an encounter, and refreshes the server's statement and
 * addresses, first soon, then periodically. Returns a function that stops the refresh.
 */
export function keepInTouch({ paths, clock, log, access, tell, random = Math.random }: InTouchDependencies): Cancel {
  const encounter = readEncounter(paths)
  if (encounter && !encounter.isTold) {
    const { atMs, address, expected, seen } = encounter
    tell({ agoMs: Math.max(0, Math.round(clock.now() - atMs)), address, expected, seen }).then(
      () => writeEncounter(paths, { ...encounter, isTold: true }),
      (error: unknown) => log.warn({ error }, 'The server did not take the report of a wrong identity'),
    )
  }
  const refresh = () => {
    cancel = clock.after(refreshEveryMs, refresh)
    access.refresh().catch((error: unknown) => log.warn({ error }, 'The addresses of the server were not refreshed'))
  }
  let cancel = clock.after(random() * refreshWithinMs, refresh)
  return () => cancel()
}
