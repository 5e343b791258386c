import type { Model } from 'sequelize'
import type { z } from 'zod'
import { columnOf, deviceReport } from '../../shared/dtos/device-report.ts'
import { boolean, type Column, integer, real, text } from '../engines/database/table.ts'

type Table = typeof deviceReport
type Name = keyof Table
type StoredAs<N extends Name> = Table[N]['stored']
type Reported = { [N in Name]: z.output<Table[N]['request']> }
/** Fields whose column type differs from the report. */
type Converted = { [N in Name]: StoredAs<N> extends 'json' | 'flag' ? N : never }[Name]

const stored = columnOf(deviceReport, 'stored')

export const reportColumns = Object.keys(stored) as Name[]

/** Columns that a report replaces. */
export const replacedColumns = ['lastSeen', 'publicIpV4', 'publicIpV6', 'agentMake', ...reportColumns] as const

const sqlTypes: Readonly<Record<string, string>> = { integer: 'BIGINT', real: 'DOUBLE PRECISION', flag: 'BOOLEAN' }

/** SQL of a column's value in the JSON `u.value` of a report. */
export function reportedValue(column: (typeof replacedColumns)[number]): string {
  const type = column === 'lastSeen' ? 'BIGINT' : sqlTypes[(stored as Record<string, string>)[column] ?? 'text']
  return type === undefined ? `u.value ->> '${column}'` : `CAST(u.value ->> '${column}' AS ${type})`
}

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

/** A column of JSON, given and returned as the value that it encodes. */
const json = (name: string) => ({
  ...text(),
  get(this: Model): unknown {
    // Undefined in an update of other columns.
    const value = this.getDataValue(name) as string | undefined
    return value === undefined ? undefined : JSON.parse(value)
  },
  set(this: Model, value: unknown) {
    this.setDataValue(name, JSON.stringify(value))
  },
})

const attributes = { text, integer, real, flag: boolean }

/** Columns of the reported fields, for the model. */
export const reportAttributes = Object.fromEntries(
  reportColumns.map((name): [Name, Column<unknown>] => {
    const kind = stored[name]
    return [name, kind === 'json' ? json(name) : attributes[kind]()]
  }),
) as { [N in Name]: Column<Reported[N]> }
