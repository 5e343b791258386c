import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** An agent that this server has signed for a system. The newest one of the same files counts. */
export interface AgentReleaseRow {
  /** Time of its first signature in ms since 1970; later ones are greater, whatever the clock says. */
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
