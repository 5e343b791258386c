import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface UserGroupMemberRow {
  groupId: string
  userId: string
}

export const defineUserGroupMember = (sequelize: Sequelize) =>
  defineTable<UserGroupMemberRow>(sequelize, 'user_group_members', {
    groupId: { type: DataTypes.TEXT, primaryKey: true },
    userId: { type: DataTypes.TEXT, primaryKey: true },
  })
