import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** A signed agent for a system. Of entries with the same files the newest counts. */
export interface AgentReleaseRow {
  /** Time of its first signature in ms since 1970; later entries have greater times, regardless of the clock. */
  build: number
  runtime: string
  version: string
  bundleSha256: string
  tarSha256: string | null
  installerSha256: string
}

export const defineAgentRelease = (sequelize: Sequelize) =>
  defineTable<AgentReleaseRow>(sequelize, 'agent_releases', {
    build: { type: DataTypes.INTEGER, primaryKey: true },
    runtime: { type: DataTypes.TEXT, allowNull: false },
    version: { type: DataTypes.TEXT, allowNull: false },
    bundleSha256: { type: DataTypes.TEXT, allowNull: false },
    tarSha256: { type: DataTypes.TEXT },
    installerSha256: { type: DataTypes.TEXT, allowNull: false },
  })
