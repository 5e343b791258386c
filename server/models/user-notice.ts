import { DataTypes, type Sequelize } from 'sequelize'
import type { NoticeKind } from '../../shared/api/appliance-notices.ts'
import { defineTable } from './entity.ts'

/** A change of a user's account, until the user dismisses the notice. */
export interface UserNoticeRow {
  id: string
  userId: string
  kind: NoticeKind
  /** Name of the acting user at that time. */
  byName: string
  /** Name of the token or group concerned, or the new address; null for none. */
  subject: string | null
  createdAt: number
  /** Session or family of tokens in which the user made the change, and which is not notified; null for other changes. */
  madeIn: string | null
}

export const defineUserNotice = (sequelize: Sequelize) =>
  defineTable<UserNoticeRow>(sequelize, 'user_notices', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    userId: { type: DataTypes.TEXT, allowNull: false },
    kind: { type: DataTypes.TEXT, allowNull: false },
    byName: { type: DataTypes.TEXT, allowNull: false },
    subject: DataTypes.TEXT,
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
    madeIn: DataTypes.TEXT,
  })
