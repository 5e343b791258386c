import { Op } from 'sequelize'
import type { App } from '../call/call.ts'

/** Marks the devices of a server that is gone offline, on all servers: their rows say so. Any number of servers may do it. */
export async function clearConnectionsOf({ database, models }: Pick<App, 'database' | 'models'>, server: string) {
  await database.write((transaction) =>
    models.Device.update({ connectionId: '' }, { where: { connectionId: { [Op.like]: `%.${server}` } }, transaction }),
  )
}

/** Does the same for every server but those that are alive. */
export async function clearConnectionsExcept(
  { database, models }: Pick<App, 'database' | 'models'>,
  alive: readonly string[],
) {
  const others = { [Op.and]: alive.map((server) => ({ [Op.notLike]: `%.${server}` })) }
  await database.write((transaction) =>
    models.Device.update({ connectionId: '' }, { where: { connectionId: { [Op.ne]: '', ...others } }, transaction }),
  )
}
