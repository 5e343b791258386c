import {
  DataTypes,
  type ModelAttributeColumnOptions,
  type ModelAttributes,
  type ModelStatic,
  type Sequelize,
} from 'sequelize'
import type { Entity } from './entity.ts'
import type { WatchedTable } from './touched.ts'

declare const valueType: unique symbol

/** A column of a table. The type of its values is known to the compiler alone. */
export interface Column<Value> extends ModelAttributeColumnOptions {
  readonly [valueType]?: Value
  /** Constraints in SQL, behind the type. */
  readonly constraint?: string
}

const required = (type: DataTypes.DataType, defaultValue?: unknown) => ({
  type,
  allowNull: false,
  ...(defaultValue !== undefined && { defaultValue }),
})

/** Text that is the primary key, or a part of it. */
export const key = <Value extends string = string>(): Column<Value> => ({
  ...required(DataTypes.TEXT),
  primaryKey: true,
})
export const integerKey = (): Column<number> => ({ ...required(DataTypes.INTEGER), primaryKey: true })

export const text = <Value extends string = string>(defaultValue?: NoInfer<Value>): Column<Value> =>
  required(DataTypes.TEXT, defaultValue)
export const integer = (defaultValue?: number): Column<number> => required(DataTypes.INTEGER, defaultValue)
export const real = (): Column<number> => required(DataTypes.REAL)
export const boolean = (defaultValue?: boolean): Column<boolean> => required(DataTypes.BOOLEAN, defaultValue)

export const textOrNull = <Value extends string = string>(): Column<Value | null> => ({ type: DataTypes.TEXT })
export const integerOrNull = (): Column<number | null> => ({ type: DataTypes.INTEGER })

/** Text that is compared without regard to case. */
export const caseless = (): Column<string> => ({ ...text(), constraint: 'COLLATE NOCASE' })

/** A column whose values fulfill a condition in SQL. */
export const check = <Value>(column: Column<Value>, condition: string): Column<Value> => ({
  ...column,
  constraint: `CHECK (${condition})`,
})

/** Id of a row of another table. Unless stated otherwise, the row is deleted with that row. */
export function references(table: string): Column<string>
export function references<Value>(table: string, column: Column<Value>, onDelete?: 'SET NULL'): Column<Value>
export function references(table: string, column = text(), onDelete = 'CASCADE'): Column<string> {
  return { ...column, constraint: `REFERENCES ${table} (id) ON DELETE ${onDelete}` }
}

type Columns = Record<string, Column<unknown>>
type RowWith<C extends Columns> = { [Name in keyof C]: C[Name] extends Column<infer Value> ? Value : never }

/** A statement for every database, or statements for each kind of database. */
export type Part = string | { sqlite: readonly string[]; postgres: readonly string[] }

export const isPart = (part: Part): part is Exclude<Part, string> => typeof part !== 'string'

/** Keys and indexes of a table, its triggers and first rows, and its mirror. */
interface Options<Name extends string> {
  /** Column whose value tells the mirrors which rows were changed; null for a table without a mirror. */
  mirror: (Omit<WatchedTable, 'table'> & { key: Name }) | null
  /** Columns that are unique together: `userId, provider`. */
  unique?: readonly string[]
  /** Columns of each index, and its condition: `(deviceId, id) WHERE deviceId IS NOT NULL`. */
  indexes?: Readonly<Record<string, string>>
  uniqueIndexes?: Readonly<Record<string, string>>
  /** Statements after all tables exist: triggers, and rows that are always there. */
  statements?: readonly Part[]
}

/** Description of a table, from which its part of a new database and of the mirrors follows. */
export interface TableDescription extends Options<string> {
  readonly name: string
  readonly columns: Columns
}

export interface Table<Row extends object> extends TableDescription {
  /** Makes the model on one database; several databases may be open in one process. */
  bind(sequelize: Sequelize): ModelStatic<Entity<Row>>
}

export type RowOf<T> = T extends Table<infer Row> ? Row : never

export const defineTable = <C extends Columns>(name: string, columns: C) => ({
  with: (options: Options<keyof C & string>): Table<RowWith<C>> => ({
    name,
    columns,
    ...options,
    bind(sequelize) {
      // Copied, because Sequelize adds the column's name to each object.
      const copies = Object.entries(columns).map(([column, { constraint: _, ...attribute }]) => [column, attribute])
      const attributes = Object.fromEntries(copies) as ModelAttributes<Entity<RowWith<C>>, RowWith<C>>
      return sequelize.define<Entity<RowWith<C>>, RowWith<C>>(name, attributes, { tableName: name, timestamps: false })
    },
  }),
})

/** Triggers that reject a change of rows, under a condition on the row `OLD` or `NEW`. */
export const reject = (
  trigger: string,
  event: 'INSERT' | 'UPDATE' | 'DELETE',
  table: string,
  message: string,
  condition = 'TRUE',
): Part => ({
  sqlite: [
    `CREATE TRIGGER ${trigger} BEFORE ${event} ON ${table}${condition === 'TRUE' ? '' : ` WHEN ${condition}`}
     BEGIN SELECT RAISE(ABORT, '${message}'); END`,
  ],
  postgres: [
    `CREATE FUNCTION ${trigger}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF ${condition} THEN RAISE EXCEPTION '${message}'; END IF;
       RETURN ${event === 'DELETE' ? 'OLD' : 'NEW'};
     END $$`,
    `CREATE TRIGGER ${trigger} BEFORE ${event} ON ${table} FOR EACH ROW EXECUTE FUNCTION ${trigger}()`,
  ],
})
