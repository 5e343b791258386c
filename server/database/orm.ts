import { Sequelize } from 'sequelize'
import sqlite3 from 'sqlite3'
import type { LentConnection } from './lent-connection.ts'

/**
 * Sequelize on connections that this server opened. By default it opens a connection without our pragmas for queries
 * outside transactions, and another for every transaction.
 *
 * `takeWriter` permits a transaction, once per job of the write queue.
 */
export function createOrm(
  file: string,
  reader: LentConnection,
  writer: LentConnection,
  takeWriter: () => boolean,
): Sequelize {
  const sequelize = new Sequelize({ dialect: 'sqlite', dialectModule: sqlite3, storage: file, logging: false })
  const lending = {
    // Sequelize passes a uuid only for transactions.
    async getConnection({ uuid }: { uuid?: string }) {
      if (uuid === undefined) {
        return reader
      }
      if (!takeWriter()) {
        throw new Error('Start transactions with database.write(), not with sequelize.transaction()')
      }
      return writer
    },
    releaseConnection() {},
    async destroyConnection() {},
  }
  Object.assign(sequelize.connectionManager, lending)
  return sequelize
}
