import type { Model, ModelAttributes, ModelStatic, Sequelize } from 'sequelize'

/** An instance of a model whose columns are `Row`. */
export type Entity<Row extends object> = Model<Row, Partial<Row>> & Row

/** Defines the model of one table on one database; several databases may be open in one process. */
export const defineTable = <Row extends object>(
  sequelize: Sequelize,
  tableName: string,
  columns: ModelAttributes<Entity<Row>, Row>,
): ModelStatic<Entity<Row>> => sequelize.define<Entity<Row>, Row>(tableName, columns, { tableName, timestamps: false })

/** Copies the current columns of an instance. Sequelize's plain object changes with later updates. */
export const rowOf = <Row extends object>(entity: Entity<Row>): Row => ({ ...entity.get({ plain: true }) })
