import { DataTypes, type Model, type ModelAttributeColumnOptions } from 'sequelize'
import type { z } from 'zod'
import { columnOf, deviceReport } from '../../shared/dtos/device-report.ts'

type Table = typeof deviceReport
type Name = keyof Table
type StoredAs<N extends Name> = Table[N]['stored']
type Reported = { [N in Name]: z.output<Table[N]['request']> }
/** Fields whose column type differs from the report. */
type Converted = { [N in Name]: StoredAs<N> extends 'json' | 'flag' ? N : never }[Name]

const stored = columnOf(deviceReport, 'stored')

/** Columns of reported fields. */
export const reportColumns = Object.keys(stored) as Name[]

/** Reported fields, as SQLite returns them. */
export type StoredReport = {
  [N in Name]: StoredAs<N> extends 'json' ? string : StoredAs<N> extends 'flag' ? number : Reported[N]
}

const convert = {
  json: (value: unknown) => JSON.parse(String(value)) as unknown,
  flag: (value: unknown) => value === 1,
}

const converted = reportColumns.flatMap((name) => {
  const kind = stored[name]
  return kind === 'json' || kind === 'flag' ? [{ name, read: convert[kind] }] : []
})

/** Converts the columns of a row that differ in type from the report. */
export const readReport = (row: StoredReport) =>
  Object.fromEntries(converted.map(({ name, read }) => [name, read(row[name])])) as Pick<Reported, Converted>

const required = (type: ModelAttributeColumnOptions['type']) => () => ({ type, allowNull: false })

const attributes = {
  text: required(DataTypes.TEXT),
  integer: required(DataTypes.INTEGER),
  real: required(DataTypes.REAL),
  flag: required(DataTypes.BOOLEAN),
  json: (name: string) => ({
    type: DataTypes.TEXT,
    allowNull: false,
    get(this: Model): unknown {
      // Undefined in an update of other columns.
      const text = this.getDataValue(name) as string | undefined
      return text === undefined ? undefined : JSON.parse(text)
    },
    set(this: Model, value: unknown) {
      this.setDataValue(name, JSON.stringify(value))
    },
  }),
}

/**
 * Attributes of the reported fields for the model; new objects each time, because Sequelize adds the column's name to
 * them.
 */
export const reportAttributes = () =>
  Object.fromEntries(reportColumns.map((name) => [name, attributes[stored[name]](name)])) as Record<
    Name,
    ModelAttributeColumnOptions
  >
