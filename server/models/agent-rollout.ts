import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** A new version of the agent that devices get in rings: one, ten per cent, all. */
export interface AgentRolloutRow {
  /** Time of its start in ms since 1970. */
  id: number
  version: string
  ring: number
  state: 'running' | 'stopped' | 'done'
  /** When the last device of the ring was settled; null while one is not. */
  settledAt: number | null
  /** Why it was stopped. */
  reason: string | null
}

export const defineAgentRollout = (sequelize: Sequelize) =>
  defineTable<AgentRolloutRow>(sequelize, 'agent_rollouts', {
    id: { type: DataTypes.INTEGER, primaryKey: true },
    version: { type: DataTypes.TEXT, allowNull: false },
    ring: { type: DataTypes.INTEGER, allowNull: false },
    state: { type: DataTypes.TEXT, allowNull: false },
    settledAt: { type: DataTypes.INTEGER },
    reason: { type: DataTypes.TEXT },
  })
