import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** The one row of the keys that this server proves itself with. */
export interface TlsIdentityRow {
  id: 'server'
  /** Sealed, as is the other key. */
  authorityKey: string
  /** PEM. */
  authorityCertificate: string
  leafKey: string
  leafCertificate: string
}

export const defineTlsIdentity = (sequelize: Sequelize) =>
  defineTable<TlsIdentityRow>(sequelize, 'tls_identity', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    authorityKey: { type: DataTypes.TEXT, allowNull: false },
    authorityCertificate: { type: DataTypes.TEXT, allowNull: false },
    leafKey: { type: DataTypes.TEXT, allowNull: false },
    leafCertificate: { type: DataTypes.TEXT, allowNull: false },
  })
