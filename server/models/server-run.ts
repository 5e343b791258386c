import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** A run of the server, as far as recorded. */
export interface ServerRunRow {
  startedAt: number
  /** Updated every minute and at an orderly shutdown. */
  aliveUntil: number
  /** Null while the server runs. */
  endedAt: number | null
  /** Null while the server runs. */
  ending: RunEnding | null
  /** Reason of a crash. */
  reason: string | null
  /** Found at the start: the write-ahead log of a running server was not beside the database. */
  isLogMissing: boolean
  /** JSON of the newest times in which the computer slept. */
  sleeps: string
}

/** Time in which the process did not run, because the computer slept or was paused; ms since 1970. */
export interface Sleep {
  from: number
  to: number
}

/** Times in which the computer slept during a run, oldest first. */
export const sleepsOf = (run: Pick<ServerRunRow, 'sleeps'> | null | undefined): Sleep[] =>
  run ? (JSON.parse(run.sleeps) as Sleep[]) : []

/** `vanished`: nobody noted the end, as after a power cut or a kill. `restored`: the next run began with this run's backup. */
export type RunEnding = 'stopped' | 'crashed' | 'vanished' | 'restored'

export const defineServerRun = (sequelize: Sequelize) =>
  defineTable<ServerRunRow>(sequelize, 'server_runs', {
    startedAt: { type: DataTypes.INTEGER, primaryKey: true },
    aliveUntil: { type: DataTypes.INTEGER, allowNull: false },
    endedAt: { type: DataTypes.INTEGER },
    ending: { type: DataTypes.TEXT },
    reason: { type: DataTypes.TEXT },
    isLogMissing: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
    sleeps: { type: DataTypes.TEXT, allowNull: false, defaultValue: '[]' },
  })
