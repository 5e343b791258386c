import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface UserGroupMemberRow {
  groupId: string
  userId: string
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: string | null
}

export const defineUserGroupMember = (sequelize: Sequelize) =>
  defineTable<UserGroupMemberRow>(sequelize, 'user_group_members', {
    groupId: { type: DataTypes.TEXT, primaryKey: true },
    userId: { type: DataTypes.TEXT, primaryKey: true },
    madeWith: DataTypes.TEXT,
  })
