import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** Setting of the server that an administrator stored; it overrides the default. */
export interface ServerSettingRow {
  /** Key without prefix: `AppOptions__SmtpHost`. */
  key: string
  /** Text as in a settings file; sealed for secrets. */
  value: string
}

export const defineServerSetting = (sequelize: Sequelize) =>
  defineTable<ServerSettingRow>(sequelize, 'server_settings', {
    key: { type: DataTypes.TEXT, primaryKey: true },
    value: { type: DataTypes.TEXT, allowNull: false },
  })
