import { DataTypes, type ModelAttributeColumnOptions } from 'sequelize'

declare const valueType: unique symbol

/** A column of a table. The type of its values is known to the compiler alone. */
export interface Column<Value> extends ModelAttributeColumnOptions {
  readonly [valueType]?: Value
}

const required = (type: DataTypes.DataType, defaultValue?: unknown) => ({
  type,
  allowNull: false,
  ...(defaultValue !== undefined && { defaultValue }),
})

/** Text that is the primary key, or a part of it. */
export const key = <Value extends string = string>(): Column<Value> => ({ type: DataTypes.TEXT, primaryKey: true })
export const integerKey = (): Column<number> => ({ type: DataTypes.INTEGER, primaryKey: true })

export const text = <Value extends string = string>(defaultValue?: NoInfer<Value>): Column<Value> =>
  required(DataTypes.TEXT, defaultValue)
export const integer = (defaultValue?: number): Column<number> => required(DataTypes.INTEGER, defaultValue)
export const real = (): Column<number> => required(DataTypes.REAL)
export const boolean = (defaultValue?: boolean): Column<boolean> => required(DataTypes.BOOLEAN, defaultValue)

export const textOrNull = <Value extends string = string>(): Column<Value | null> => ({ type: DataTypes.TEXT })
export const integerOrNull = (): Column<number | null> => ({ type: DataTypes.INTEGER })
