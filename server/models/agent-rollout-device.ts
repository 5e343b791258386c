import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** A device that was asked to update in a rollout. */
export interface AgentRolloutDeviceRow {
  rolloutId: number
  deviceId: string
  ring: number
  askedAt: number
  /** `skipped`: was shut down or slept meanwhile; no evidence about the version. */
  outcome: 'asked' | 'updated' | 'failed' | 'skipped'
  reason: string | null
}

export const defineAgentRolloutDevice = (sequelize: Sequelize) =>
  defineTable<AgentRolloutDeviceRow>(sequelize, 'agent_rollout_devices', {
    rolloutId: { type: DataTypes.INTEGER, primaryKey: true },
    deviceId: { type: DataTypes.TEXT, primaryKey: true },
    ring: { type: DataTypes.INTEGER, allowNull: false },
    askedAt: { type: DataTypes.INTEGER, allowNull: false },
    outcome: { type: DataTypes.TEXT, allowNull: false },
    reason: { type: DataTypes.TEXT },
  })
