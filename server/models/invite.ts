import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface InviteRow {
  id: string
  tenantId: string
  userId: string
  inviteeEmail: string
  activationCodeHash: string
  createdAt: number
}

export const defineInvite = (sequelize: Sequelize) =>
  defineTable<InviteRow>(sequelize, 'invites', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    tenantId: { type: DataTypes.TEXT, allowNull: false },
    userId: { type: DataTypes.TEXT, allowNull: false },
    inviteeEmail: { type: DataTypes.TEXT, allowNull: false },
    activationCodeHash: { type: DataTypes.TEXT, allowNull: false },
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
  })
