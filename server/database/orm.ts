import { Sequelize } from 'sequelize'
import sqlite3 from 'sqlite3'
import type { Connection } from './connection.ts'

/**
 * Sequelize on connections that we opened. Left to itself it opens a connection without our pragmas for everything
 * outside a transaction and a further one for every transaction.
 *
 * `takeWriter` answers whether a transaction may begin, which is once per turn of the write queue.
 */
export function createOrm(file: string, reader: Connection, writer: Connection, takeWriter: () => boolean): Sequelize {
  const sequelize = new Sequelize({ dialect: 'sqlite', dialectModule: sqlite3, storage: file, logging: false })
  const lending = {
    // Sequelize sends a uuid when, and only when, it wants a connection for a transaction.
    async getConnection({ uuid }: { uuid?: string }) {
      if (uuid === undefined) {
        return reader.handle
      }
      if (!takeWriter()) {
        throw new Error('Start transactions with database.write(), not with sequelize.transaction()')
      }
      return writer.handle
    },
    releaseConnection() {},
    async destroyConnection() {},
  }
  Object.assign(sequelize.connectionManager, lending)
  return sequelize
}
