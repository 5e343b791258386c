import type { Sequelize } from 'sequelize'
import * as agents from '../agents/tables.ts'
import * as alerts from '../alerts/tables.ts'
import * as audit from '../audit/tables.ts'
import * as backup from '../backup/tables.ts'
import * as batches from '../batches/tables.ts'
import * as credentials from '../credentials/tables.ts'
import * as devices from '../devices/tables.ts'
import * as events from '../events/tables.ts'
import * as fleet from '../fleet/tables.ts'
import * as health from '../health/tables.ts'
import * as history from '../history/tables.ts'
import * as identity from '../identity/tables.ts'
import * as network from '../network/tables.ts'
import * as notifications from '../notifications/tables.ts'
import * as organization from '../organization/tables.ts'
import * as people from '../people/tables.ts'
import * as providers from '../providers/tables.ts'
import * as recordings from '../recordings/tables.ts'
import * as remote from '../remote/tables.ts'
import * as terminals from '../remote/terminals/tables.ts'
import * as rights from '../rights/tables.ts'
import * as settings from '../settings/tables.ts'
import * as updates from '../updates/tables.ts'
import { schemaOf } from '../engines/database/schema.ts'
import type { TableDescription } from '../engines/database/table.ts'

/** All tables, by the names of their models. */
export const tables = {
  ...organization,
  ...people,
  ...devices,
  ...events,
  ...fleet,
  ...credentials,
  ...rights,
  ...identity,
  ...providers,
  ...agents,
  ...alerts,
  ...batches,
  ...recordings,
  ...terminals,
  ...remote,
  ...audit,
  ...backup,
  ...health,
  ...history,
  ...network,
  ...notifications,
  ...settings,
  ...updates,
}

/** Descriptions of all tables, each once. */
export const descriptions: readonly TableDescription[] = Object.values(tables)

/** Statements that make the tables of a new database. */
export const schema = schemaOf(descriptions)

export type Models = { [Name in keyof typeof tables]: ReturnType<(typeof tables)[Name]['bind']> }

/**
 * Makes the models on one database; several databases can be open in one process. Sequelize takes half a millisecond for
 * each, so a model is made when it is used first.
 */
export function bindModels(sequelize: Sequelize): Models {
  const models: Partial<Models> = {}
  for (const [name, table] of Object.entries(tables)) {
    const get = () => {
      const value = table.bind(sequelize)
      Object.defineProperty(models, name, { value })
      return value
    }
    Object.defineProperty(models, name, { get, configurable: true, enumerable: true })
  }
  return models as Models
}
