import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface CustomerContactRow {
  id: string
  customerId: string
  /** Order in the list, from 0. */
  place: number
  name: string
  role: string
  email: string
  phone: string
}

export const defineCustomerContact = (sequelize: Sequelize) =>
  defineTable<CustomerContactRow>(sequelize, 'customer_contacts', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    customerId: { type: DataTypes.TEXT, allowNull: false },
    place: { type: DataTypes.INTEGER, allowNull: false },
    name: { type: DataTypes.TEXT, allowNull: false },
    role: { type: DataTypes.TEXT, allowNull: false },
    email: { type: DataTypes.TEXT, allowNull: false },
    phone: { type: DataTypes.TEXT, allowNull: false },
  })
