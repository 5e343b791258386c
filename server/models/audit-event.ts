import { DataTypes, type Sequelize } from 'sequelize'
import type { AuditOutcome } from '../../shared/audit.ts'
import { defineTable } from './entity.ts'

/** Row of the audit log. Triggers reject changes, and removals that no stub covers. */
export interface AuditEventRow {
  /** 1, 2, 3 and so on, without gaps. */
  id: number
  at: number
  kind: string
  outcome: AuditOutcome
  /** Number of equal events in one row; above 1 only past the limits of the budget. */
  count: number
  /** Tenant whose readers see the event; null for events of the server. */
  tenantId: string | null
  actorKind: 'user' | 'service-account' | 'system' | 'anonymous'
  actorId: string | null
  actorName: string | null
  credentialKind: string | null
  credentialId: string | null
  address: string | null
  browser: string | null
  targetKind: string | null
  targetId: string | null
  targetName: string | null
  deviceId: string | null
  deviceName: string | null
  /** JSON object of details. */
  details: string
  /** Hash of the row before. */
  previous: string
  /** SHA-256 of the canonical encoding of the row, with `previous`. */
  hash: string
  /** HMAC of the hash with a key of this server. */
  seal: string
}

/** Makes a column each: Sequelize changes the objects that it gets. */
const text = () => ({ type: DataTypes.TEXT })
const required = () => ({ type: DataTypes.TEXT, allowNull: false })
const number = () => ({ type: DataTypes.INTEGER, allowNull: false })

export const defineAuditEvent = (sequelize: Sequelize) =>
  defineTable<AuditEventRow>(sequelize, 'audit_events', {
    id: { type: DataTypes.INTEGER, primaryKey: true },
    at: number(),
    kind: required(),
    outcome: required(),
    count: number(),
    tenantId: text(),
    actorKind: required(),
    actorId: text(),
    actorName: text(),
    credentialKind: text(),
    credentialId: text(),
    address: text(),
    browser: text(),
    targetKind: text(),
    targetId: text(),
    targetName: text(),
    deviceId: text(),
    deviceName: text(),
    details: required(),
    previous: required(),
    hash: required(),
    seal: required(),
  })
