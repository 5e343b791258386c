import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface UserGroupMemberRow {
  groupId: string
  userId: string
  /** The restricted token that made it, and whose rights limit it; null for what people made. */
  madeWith: string | null
}

export const defineUserGroupMember = (sequelize: Sequelize) =>
  defineTable<UserGroupMemberRow>(sequelize, 'user_group_members', {
    groupId: { type: DataTypes.TEXT, primaryKey: true },
    userId: { type: DataTypes.TEXT, primaryKey: true },
    madeWith: DataTypes.TEXT,
  })
