import { DataTypes, type Sequelize } from 'sequelize'
import type { NoticeKind } from '../../shared/api/appliance-notices.ts'
import { defineTable } from './entity.ts'

/** What somebody else did in the place of a user, until the user has read it. */
export interface UserNoticeRow {
  id: string
  userId: string
  kind: NoticeKind
  /** Who did it, by the name of that moment. */
  byName: string
  /** Name of the token or the group that it is about; null where there is none. */
  subject: string | null
  createdAt: number
}

export const defineUserNotice = (sequelize: Sequelize) =>
  defineTable<UserNoticeRow>(sequelize, 'user_notices', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    userId: { type: DataTypes.TEXT, allowNull: false },
    kind: { type: DataTypes.TEXT, allowNull: false },
    byName: { type: DataTypes.TEXT, allowNull: false },
    subject: DataTypes.TEXT,
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
  })
