import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface PasskeyRow {
  id: string
  userId: string
  /** Id chosen by the authenticator, in base64url. */
  credentialId: string
  /** COSE key in base64url. */
  publicKey: string
  /** Signature counter of the last use; 0 for authenticators without one. */
  counter: number
  /** JSON array of the ways to reach the authenticator. */
  transports: string
  /** Host name that the passkey works for. */
  rpId: string
  name: string
  createdAt: number
  lastUsedAt: number | null
}

export const definePasskey = (sequelize: Sequelize) =>
  defineTable<PasskeyRow>(sequelize, 'passkeys', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    userId: { type: DataTypes.TEXT, allowNull: false },
    credentialId: { type: DataTypes.TEXT, allowNull: false },
    publicKey: { type: DataTypes.TEXT, allowNull: false },
    counter: { type: DataTypes.INTEGER, allowNull: false },
    transports: { type: DataTypes.TEXT, allowNull: false },
    rpId: { type: DataTypes.TEXT, allowNull: false },
    name: { type: DataTypes.TEXT, allowNull: false },
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
    lastUsedAt: DataTypes.INTEGER,
  })
