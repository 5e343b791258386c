import { DataTypes, type Model, type ModelAttributeColumnOptions } from 'sequelize'
import type { z } from 'zod'
import { columnOf, deviceReport } from '../../shared/dtos/device-report.ts'

type Table = typeof deviceReport
type Name = keyof Table
type StoredAs<N extends Name> = Table[N]['stored']
type Reported = { [N in Name]: z.output<Table[N]['request']> }
/** Fields whose column holds another type than a report does. */
type Converted = { [N in Name]: StoredAs<N> extends 'json' | 'flag' ? N : never }[Name]

const stored = columnOf(deviceReport, 'stored')

/** The columns of what agents report. */
export const reportColumns = Object.keys(stored) as Name[]

/** What agents report, as SQLite returns it. */
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

/** Those columns of a row that have to be read, in the types of a report. */
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

/** The same for the model; made anew each time, because Sequelize writes the column's name into what it is given. */
export const reportAttributes = () =>
  Object.fromEntries(reportColumns.map((name) => [name, attributes[stored[name]](name)])) as Record<
    Name,
    ModelAttributeColumnOptions
  >
