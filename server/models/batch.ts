import { DataTypes, type Sequelize } from 'sequelize'
import type { BatchKind } from '../../shared/dtos/batch.ts'
import { defineTable } from './entity.ts'

/** An action on many devices. */
export interface BatchRow {
  id: string
  /** Owner key, from `ownerOf`. */
  owner: string
  kind: BatchKind
  /** Sealed, because a command may contain secrets; null for other kinds. */
  sealedCommand: string | null
  timeLimitSeconds: number | null
  tagId: string | null
  /** Name of the tag at that time. */
  tagName: string | null
  createdAt: number
  /** Null while devices are running. */
  finishedAt: number | null
}

export const defineBatch = (sequelize: Sequelize) =>
  defineTable<BatchRow>(sequelize, 'batches', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    owner: { type: DataTypes.TEXT, allowNull: false },
    kind: { type: DataTypes.TEXT, allowNull: false },
    sealedCommand: DataTypes.TEXT,
    timeLimitSeconds: DataTypes.INTEGER,
    tagId: DataTypes.TEXT,
    tagName: DataTypes.TEXT,
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
    finishedAt: DataTypes.INTEGER,
  })
