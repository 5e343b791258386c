import { minuteMs } from '../../shared/durations.ts'
import type { App, OpenCall } from '../call/call.ts'
import { deleteWhere } from '../engines/database/delete-where.ts'
import type { UsedTicketRow } from './tables.ts'

/** Used tickets of a user that are kept past a minute, for resumed downloads (T20). */
const maxOfUser = 500

const beyondSql = `SELECT id FROM used_tickets WHERE userId = $1 AND usedAt < $2 ORDER BY usedAt DESC LIMIT -1 OFFSET ${maxOfUser}`

type TicketApp = Pick<App, 'clock' | 'database' | 'models'>

/** Marks a ticket as used, for all servers of the database. Returns false if it was used before. */
export const useTicket = (
  { clock, database, models }: TicketApp,
  ticket: Omit<UsedTicketRow, 'usedAt'>,
): Promise<boolean> =>
  database.write(async (transaction) => {
    if ((await models.UsedTicket.count({ where: { id: ticket.id }, transaction })) > 0) {
      return false
    }
    const usedAt = clock.now()
    await models.UsedTicket.create({ ...ticket, usedAt }, { transaction })
    if (ticket.userId !== null) {
      const bind = [ticket.userId, usedAt - minuteMs]
      await database.sequelize.query(`DELETE FROM used_tickets WHERE id IN (${beyondSql})`, { bind, transaction })
    }
    return true
  })

export const findUsed = async ({ models }: Pick<App, 'models'>, id: string): Promise<UsedTicketRow | undefined> =>
  (await models.UsedTicket.findByPk(id))?.get({ plain: true })

/** Removes used tickets that have expired. */
export const removeExpiredTickets = ({ app }: OpenCall): Promise<void> =>
  deleteWhere(app, 'used_tickets', 'expiresAt < ?', app.clock.now())
