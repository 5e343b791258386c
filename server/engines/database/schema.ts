import { isPart, type Column, type Part, type TableDescription } from './table.ts'

/** SQLite has no type for truth values. */
const typeOf = ({ type }: Column<unknown>) => String(type).replace('BOOLEAN', 'INTEGER')

const defaultOf = (value: unknown) => (typeof value === 'string' ? `'${value}'` : Number(value))

const columnSql = ([name, column]: [string, Column<unknown>]) =>
  [
    name,
    typeOf(column),
    ...(column.allowNull === false ? ['NOT NULL'] : []),
    ...(column.defaultValue === undefined ? [] : [`DEFAULT ${defaultOf(column.defaultValue)}`]),
    ...(column.constraint === undefined ? [] : [column.constraint]),
  ].join(' ')

/** Statement that makes a table without its indexes; `columnSql` words a column. */
export function createTable(
  { name, columns, unique = [] }: TableDescription,
  columnSql: (column: [string, Column<unknown>]) => string,
): string {
  const entries = Object.entries(columns)
  const keys = entries.filter(([, { primaryKey }]) => primaryKey).map(([column]) => column)
  const parts = [
    ...entries.map((column) => columnSql(column)),
    `PRIMARY KEY (${keys.join(', ')})`,
    ...unique.map((together) => `UNIQUE (${together})`),
  ]
  return `CREATE TABLE ${name} (${parts.join(', ')})`
}

/** Statements that make the indexes of a table; `indexed` words their columns. */
export const createIndexes = (
  { name, indexes = {}, uniqueIndexes = {} }: TableDescription,
  indexed = (columns: string) => columns,
) => [
  ...Object.entries(indexes).map(([index, columns]) => `CREATE INDEX ${index} ON ${name} ${indexed(columns)}`),
  ...Object.entries(uniqueIndexes).map(
    ([index, columns]) => `CREATE UNIQUE INDEX ${index} ON ${name} ${indexed(columns)}`,
  ),
]

const ofSqlite = (part: Part): readonly string[] => (isPart(part) ? part.sqlite : [part])

/** Statements that make the tables of a new database. */
export const schemaOf = (tables: readonly TableDescription[]): string[] => [
  ...tables.map((table) => `${createTable(table, columnSql)} STRICT`),
  ...tables.flatMap((table) => createIndexes(table)),
  ...tables.flatMap(({ statements = [] }) => statements.flatMap(ofSqlite)),
]
