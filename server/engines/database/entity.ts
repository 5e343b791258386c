import type { Model } from 'sequelize'

export type Entity<Row extends object> = Model<Row, Partial<Row>> & Row

/** Copies the current columns of an instance. Sequelize's plain object changes with later updates. */
export const rowOf = <Row extends object>(entity: Entity<Row>): Row => ({ ...entity.get({ plain: true }) })
