import type { AgentRolloutDto, UpdateRunDto, UpdateStateDto } from '../../shared/dtos/update.ts'
import type { ReleaseFile, ReleaseStatement } from '../../shared/release.ts'
import { instant, instantOrNull } from '../ground/instant.ts'
import type { UpdateRunRow, UpdateStateRow } from './tables.ts'

/** A newer release that the feed showed at the last look. */
export interface OfferedRelease {
  release: ReleaseStatement
  /** File of the release for this copy of the program. */
  file: ReleaseFile | undefined
  /** Why it cannot be installed here. */
  problem: string | null
}

/** Previous version, to go back to. */
export interface WayBack {
  name: string
  version: string
  replacedAt: number
  /** Copy of the data that is put back; null keeps the data. */
  restoreFrom: string | null
}

/** Content of the section Version of the Server page. */
export interface UpdateOverview {
  version: string
  feed: string | undefined
  /** Why no release is offered. */
  problem: string | null
  state: UpdateStateRow | null
  offered: OfferedRelease | null
  running: UpdateStateDto['running']
  runs: readonly UpdateRunRow[]
  back: WayBack | null
  rollouts: AgentRolloutDto[]
}

const presentRun = (run: UpdateRunRow): UpdateRunDto => ({
  kind: run.kind,
  fromVersion: run.fromVersion,
  toVersion: run.toVersion,
  byName: run.byName,
  startedAt: instant(run.startedAt),
  endedAt: instantOrNull(run.endedAt),
  outcome: run.outcome,
  reason: run.reason,
  isDataRestored: run.isDataRestored,
})

export function presentUpdates({ state, offered, back, ...overview }: UpdateOverview): UpdateStateDto {
  return {
    version: overview.version,
    feed: overview.feed ?? null,
    checkedAt: state ? instant(state.checkedAt) : null,
    problem: overview.problem,
    offered: offered && {
      version: offered.release.version,
      notes: offered.release.notes,
      signedAt: instant(offered.release.signedAt),
      bytes: offered.file?.bytes ?? null,
      problem: offered.problem,
    },
    running: overview.running,
    runs: overview.runs.map(presentRun),
    previous: back && {
      version: back.version,
      replacedAt: instant(back.replacedAt),
      isDataRestored: back.restoreFrom !== null,
    },
    rollout: overview.rollouts[0] ?? null,
    rollouts: overview.rollouts,
  }
}
