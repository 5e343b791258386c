import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** Account at an identity provider that signs in as a user. */
export interface ExternalLoginRow {
  id: string
  userId: string
  /** Place in the configuration: `a` or `b`. */
  provider: string
  /** Issuer of the subject: another issuer in the same place knows other people. */
  issuer: string
  /** Id of the account at its issuer, which never changes. */
  subject: string
  /** Address or name of the account when it was linked, to recognize it by. */
  name: string
  createdAt: number
  lastUsedAt: number | null
}

export const defineExternalLogin = (sequelize: Sequelize) =>
  defineTable<ExternalLoginRow>(sequelize, 'external_logins', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    userId: { type: DataTypes.TEXT, allowNull: false },
    provider: { type: DataTypes.TEXT, allowNull: false },
    issuer: { type: DataTypes.TEXT, allowNull: false },
    subject: { type: DataTypes.TEXT, allowNull: false },
    name: { type: DataTypes.TEXT, allowNull: false },
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
    lastUsedAt: DataTypes.INTEGER,
  })
