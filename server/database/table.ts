import { DataTypes } from 'sequelize'
import type { ModelAttributeColumnOptions, ModelAttributes, ModelStatic, Sequelize } from 'sequelize'
import type { Entity } from './entity.ts'

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

type Columns = Record<string, Column<unknown>>
type RowWith<C extends Columns> = { [Name in keyof C]: C[Name] extends Column<infer Value> ? Value : never }

/** Defines the model of a table on one database; several databases may be open in one process. */
type Table<Row extends object> = (sequelize: Sequelize) => ModelStatic<Entity<Row>>

/** A row of a table. */
export type RowOf<T> = T extends Table<infer Row> ? Row : never

export function defineTable<C extends Columns>(tableName: string, columns: C): Table<RowWith<C>> {
  type Row = RowWith<C>
  return (sequelize) => {
    // Copied, because Sequelize adds the column's name to each object.
    const copies = Object.entries(columns).map(([name, column]) => [name, { ...column }])
    const attributes = Object.fromEntries(copies) as ModelAttributes<Entity<Row>, Row>
    return sequelize.define<Entity<Row>, Row>(tableName, attributes, { tableName, timestamps: false })
  }
}
