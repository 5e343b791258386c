import { DataTypes, type Sequelize } from 'sequelize'
import type { PermissionName, PrincipalKind, ScopeKind } from '../../shared/access.ts'
import { defineTable } from './entity.ts'

export interface PermissionAssignmentRow {
  id: string
  owningTenantId: string | null
  principalKind: PrincipalKind
  principalId: string
  permissionName: PermissionName
  effect: 'Allow' | 'Deny'
  scopeKind: ScopeKind
  scopeId: string | null
  notes: string | null
  isEnabled: boolean
  createdAt: number
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: string | null
}

export const definePermissionAssignment = (sequelize: Sequelize) =>
  defineTable<PermissionAssignmentRow>(sequelize, 'permission_assignments', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    owningTenantId: DataTypes.TEXT,
    principalKind: { type: DataTypes.TEXT, allowNull: false },
    principalId: { type: DataTypes.TEXT, allowNull: false },
    permissionName: { type: DataTypes.TEXT, allowNull: false },
    effect: { type: DataTypes.TEXT, allowNull: false },
    scopeKind: { type: DataTypes.TEXT, allowNull: false },
    scopeId: DataTypes.TEXT,
    notes: DataTypes.TEXT,
    isEnabled: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: true },
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
    madeWith: DataTypes.TEXT,
  })
