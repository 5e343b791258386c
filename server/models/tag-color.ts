import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface TagColorRow {
  tagId: string
  color: string
}

export const defineTagColor = (sequelize: Sequelize) =>
  defineTable<TagColorRow>(sequelize, 'tag_colors', {
    tagId: { type: DataTypes.TEXT, primaryKey: true },
    color: { type: DataTypes.TEXT, allowNull: false },
  })
