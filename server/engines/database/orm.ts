import { Sequelize } from 'sequelize'
import sqlite3 from 'sqlite3'
import type { Connection } from './connection.ts'

type Role = 'reader' | 'writer'

/**
 * The driver of one Sequelize, which opens nothing: it lends the connection that this server has opened. A writer lends
 * it to one transaction after another; a reader lends it once, to all queries without a transaction.
 */
function driverOf({ handle }: Connection, role: Role) {
  const lent = {
    serialize: (begin: () => void) => begin(),
    all: handle.all.bind(handle),
    run: handle.run.bind(handle),
    close() {},
  }
  const transactionOfReader = new Error('Start transactions with database.write(), not with sequelize.transaction()')
  let isLent = false
  function Database(_file: string, _mode: number, opened: (error: Error | null) => void) {
    setImmediate(opened, isLent && role === 'reader' ? transactionOfReader : null)
    isLent = true
    return lent
  }
  return { ...sqlite3, Database }
}

/**
 * Sequelize on a connection with our pragmas and triggers. It has no pool for SQLite: by default it would open and close
 * a connection for each transaction.
 */
export async function createOrm(connection: Connection, storage: string, role: Role): Promise<Sequelize> {
  const dialectOptions = { mode: sqlite3.OPEN_READWRITE }
  const dialectModule = driverOf(connection, role)
  const sequelize = new Sequelize({ dialect: 'sqlite', dialectModule, dialectOptions, storage, logging: false })
  await sequelize.authenticate()
  return sequelize
}
