import type { Model, ModelAttributes, ModelStatic, Sequelize } from 'sequelize'
import type { Column } from './columns.ts'

/** An instance of a model whose columns are `Row`. */
export type Entity<Row extends object> = Model<Row, Partial<Row>> & Row

/** Defines the model of a table on one database; several databases may be open in one process. */
type Table<Row extends object> = (sequelize: Sequelize) => ModelStatic<Entity<Row>>

type Columns = Record<string, Column<unknown>>
type RowWith<C extends Columns> = { [Name in keyof C]: C[Name] extends Column<infer Value> ? Value : never }

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

/** Copies the current columns of an instance. Sequelize's plain object changes with later updates. */
export const rowOf = <Row extends object>(entity: Entity<Row>): Row => ({ ...entity.get({ plain: true }) })
