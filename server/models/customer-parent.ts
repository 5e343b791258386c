import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface CustomerParentRow {
  customerId: string
  parentId: string
}

export const defineCustomerParent = (sequelize: Sequelize) =>
  defineTable<CustomerParentRow>(sequelize, 'customer_parents', {
    customerId: { type: DataTypes.TEXT, primaryKey: true },
    parentId: { type: DataTypes.TEXT, allowNull: false },
  })
