import { createIndexes, createTable } from '../schema.ts'
import { isPart, type Column, type Part, type TableDescription } from '../table.ts'
import { wording } from './wording.ts'

const typeNames: Readonly<Record<string, string>> = {
  INTEGER: 'BIGINT',
  REAL: 'DOUBLE PRECISION',
  // Texts are compared by their bytes, as in SQLite, whatever the language of the database.
  TEXT: 'TEXT COLLATE "C"',
}

const isReference = (constraint: string | undefined) => constraint?.startsWith('REFERENCES') === true

function typeOf({ type, constraint }: Column<unknown>): string {
  const name = String(type)
  return constraint?.startsWith('COLLATE') ? name : (typeNames[name] ?? name)
}

/** Type of a column without its collation, for conversions. */
export const columnType = ({ type }: Column<unknown>): string =>
  ({ INTEGER: 'BIGINT', REAL: 'DOUBLE PRECISION' })[String(type)] ?? String(type)

const defaultOf = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value))

const columnSql = ([name, column]: [string, Column<unknown>]) =>
  [
    name,
    typeOf(column),
    ...(column.allowNull === false ? ['NOT NULL'] : []),
    ...(column.defaultValue === undefined ? [] : [`DEFAULT ${defaultOf(column.defaultValue)}`]),
    ...(column.constraint === undefined || isReference(column.constraint) ? [] : [column.constraint]),
  ].join(' ')

/** Added when all tables exist, because tables refer to each other in any order. */
const addReferences = ({ name, columns }: TableDescription) =>
  Object.entries(columns).flatMap(([column, { constraint }]) =>
    isReference(constraint) ? [`ALTER TABLE ${name} ADD FOREIGN KEY (${column}) ${constraint}`] : [],
  )

/** An expression of an index needs parentheses of its own. */
const indexed = (columns: string) => columns.replace(/(\w+ ->> '\w+')/g, '($1)')

const ofPostgres = (part: Part): readonly string[] => (isPart(part) ? part.postgres : [part])

/** Statements that make the tables of a new database. */
export const postgresSchemaOf = (tables: readonly TableDescription[]): string[] =>
  [
    ...tables.map((table) => createTable(table, columnSql)),
    ...tables.flatMap(addReferences),
    ...tables.flatMap((table) => createIndexes(table, indexed)),
    ...tables.flatMap(({ statements = [] }) => statements.flatMap(ofPostgres)),
  ].map(wording)
