import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { WrongIdentityDto } from '../../shared/server-identity.ts'
import { bestEffort } from '../base/best-effort.ts'
import type { Cancel, Clock } from '../base/clock.ts'
import { writeFileAtomically } from '../base/write-file.ts'
import { makePrivateFolder } from '../base/folders.ts'
import type { Log } from '../base/log.ts'
import type { Paths } from '../base/paths.ts'
import type { ServerAccess } from './access.ts'

const Encounter = z.object({
  atMs: z.number(),
  address: z.string(),
  expected: z.string(),
  seen: z.string(),
  /** The right server knows of it. */
  isTold: z.boolean(),
})
export type Encounter = z.output<typeof Encounter>

/** The last time that something else answered in place of the server; undefined when that never happened. */
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

/** All agents come back at once after a restart of the server; their next question is spread over this. */
const refreshWithinMs = 60_000
/** A key that the server has given up, because others have it, is taken for the server's for no longer. */
const refreshEveryMs = 15 * 60_000

/**
 * To be called when the server has accepted this device: tells who stood in for it, and asks where else it is and which key
 * it shows, now and then again. Returns what ends that.
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
