import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** Keys and certificates of this server's identity, in one row. */
export interface TlsIdentityRow {
  id: 'server'
  /** Sealed, as is `leafKey`. */
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
