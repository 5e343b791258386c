import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface AssignmentEndRow {
  assignmentId: string
  /** Principal of the assignment, by which the mirror of rules finds what a commit has touched. */
  principalId: string
  /** The assignment counts before this instant only. */
  endsAt: number
}

export const defineAssignmentEnd = (sequelize: Sequelize) =>
  defineTable<AssignmentEndRow>(sequelize, 'assignment_ends', {
    assignmentId: { type: DataTypes.TEXT, primaryKey: true },
    principalId: { type: DataTypes.TEXT, allowNull: false },
    endsAt: { type: DataTypes.INTEGER, allowNull: false },
  })
