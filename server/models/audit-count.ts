import { DataTypes, type Sequelize } from 'sequelize'
import type { AuditOutcome } from '../../shared/audit.ts'
import { defineTable } from './entity.ts'

/** Events past the limits of the budget, counted here until one row of the log states their number. */
export interface AuditCountRow {
  /** Kind, outcome, tenant and actor. */
  id: string
  kind: string
  outcome: AuditOutcome
  tenantId: string | null
  actorKind: 'user' | 'service-account' | 'system' | 'anonymous'
  actorId: string | null
  actorName: string | null
  count: number
  since: number
}

export const defineAuditCount = (sequelize: Sequelize) =>
  defineTable<AuditCountRow>(sequelize, 'audit_counts', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    kind: { type: DataTypes.TEXT, allowNull: false },
    outcome: { type: DataTypes.TEXT, allowNull: false },
    tenantId: DataTypes.TEXT,
    actorKind: { type: DataTypes.TEXT, allowNull: false },
    actorId: DataTypes.TEXT,
    actorName: DataTypes.TEXT,
    count: { type: DataTypes.INTEGER, allowNull: false },
    since: { type: DataTypes.INTEGER, allowNull: false },
  })
