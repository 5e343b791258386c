import { DataTypes, type Sequelize } from 'sequelize'
import type { BatchKind } from '../../shared/dtos/batch.ts'
import { defineTable } from './entity.ts'

/** The same thing done with many devices. */
export interface BatchRow {
  id: string
  /** Who started it, as `ownerOf` names a principal. */
  owner: string
  kind: BatchKind
  /** May hold secrets, so it is sealed; null for other kinds. */
  sealedCommand: string | null
  timeLimitSeconds: number | null
  tagId: string | null
  /** As the tag was called then. */
  tagName: string | null
  createdAt: number
  /** Null as long as something goes on. */
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
