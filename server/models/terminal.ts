import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface TerminalRow {
  deviceId: string
  /** Made by the viewer that opened it. */
  id: string
  /** The principal that it belongs to, as `services/remote/terminals.ts` names it. */
  owner: string
}

export const defineTerminal = (sequelize: Sequelize) =>
  defineTable<TerminalRow>(sequelize, 'terminals', {
    deviceId: { type: DataTypes.TEXT, primaryKey: true },
    id: { type: DataTypes.TEXT, primaryKey: true },
    owner: { type: DataTypes.TEXT, allowNull: false },
  })
