import type { ServerRunRow } from './tables.ts'

/** Time in which the process did not run, because the computer slept or was paused; ms since 1970. */
export interface Sleep {
  from: number
  to: number
}

/** Times in which the computer slept during a run, oldest first. */
export const sleepsOf = (run: Pick<ServerRunRow, 'sleeps'> | null | undefined): Sleep[] =>
  run ? (JSON.parse(run.sleeps) as Sleep[]) : []
