import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface ChatRow {
  deviceId: string
  /** Made by the viewer that began it. */
  id: string
  /** The principal that it belongs to, as `services/remote/chat.ts` names it. */
  owner: string
  /** Milliseconds since 1970 (UTC). */
  begunAt: number
}

export const defineChat = (sequelize: Sequelize) =>
  defineTable<ChatRow>(sequelize, 'chats', {
    deviceId: { type: DataTypes.TEXT, primaryKey: true },
    id: { type: DataTypes.TEXT, primaryKey: true },
    owner: { type: DataTypes.TEXT, allowNull: false },
    begunAt: { type: DataTypes.INTEGER, allowNull: false },
  })
