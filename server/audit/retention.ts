import { Op, QueryTypes } from 'sequelize'
import type { Models } from '../call/models.ts'
import type { Database } from '../engines/database/database.ts'
import type { Sealer } from '../engines/secrets/sealer.ts'
import type { Clock } from '../ground/clock.ts'
import { sealOfMark, sealOfStub } from './chain.ts'
import type { AuditEventRow } from './tables.ts'
import { validPrefix } from './verify.ts'

/** Rows removed per transaction: blocks the writer for a few milliseconds. */
const groupLength = 100

interface Dependencies {
  database: Database
  models: Models
  sealer: Sealer
  clock: Clock
}

/** Marks that the rows so far were written by this time of the retention. */
export async function markRows({ database, models, sealer }: Dependencies, at: number): Promise<void> {
  await database.write(async (transaction) => {
    const lastId = (await models.AuditHead.findByPk('server', { transaction }))?.lastId
    if (lastId !== undefined && !(await models.AuditMark.findByPk(lastId, { transaction }))) {
      const mark = { lastId, at }
      await models.AuditMark.create({ ...mark, seal: sealOfMark(sealer, mark) }, { transaction })
    }
  })
}

/** Newest row that was there before a time, by the marks; 0 without one. */
async function markedBefore({ models, sealer }: Dependencies, before: number): Promise<number> {
  const marks = await models.AuditMark.findAll({ order: [['lastId', 'ASC']], raw: true })
  const kept = marks.findIndex(({ seal, ...mark }) => mark.at >= before || seal !== sealOfMark(sealer, mark))
  return marks.slice(0, kept === -1 ? marks.length : kept).at(-1)?.lastId ?? 0
}

/** Removes the oldest rows, up to a group of them. Returns their number. */
const removeGroup = ({ database, models, sealer, clock }: Dependencies, marked: number, before: number) =>
  database.write(async (transaction) => {
    // The newest row always remains, and rows are removed from the oldest on without a gap.
    const old = await database.sequelize.query<AuditEventRow>(
      `SELECT * FROM audit_events WHERE id < (SELECT max(id) FROM audit_events)
       AND (id <= ? OR id < ifnull((SELECT min(id) FROM audit_events WHERE at >= ?), 9000000000000000))
       ORDER BY id LIMIT ${groupLength}`,
      { replacements: [marked, before], type: QueryTypes.SELECT, transaction },
    )
    const newestStub = await models.AuditStub.findOne({ order: [['lastId', 'DESC']], raw: true, transaction })
    const rows = validPrefix(sealer, old, newestStub)
    const [first, last] = [rows[0], rows.at(-1)]
    if (!first || !last) {
      return 0
    }
    const place = { firstId: first.id, lastId: last.id, firstAt: first.at, lastAt: last.at }
    const stub = { ...place, cutAt: clock.now(), hash: last.hash }
    await models.AuditStub.create({ ...stub, seal: sealOfStub(sealer, stub) }, { transaction })
    await database.sequelize.query('DELETE FROM audit_events WHERE id <= ?', { replacements: [last.id], transaction })
    await models.AuditMark.destroy({ where: { lastId: { [Op.lte]: last.id } }, transaction })
    return rows.length
  })

/**
 * Removes rows before a time: leaves a sealed stub that the remaining rows continue. Returns their number. Rows that a
 * clock far ahead has stamped would stay until then, with all that follow: marks tell when they were written. Stops before
 * the first changed row: removing that row would hide the change.
 */
export async function removeRows(deps: Dependencies, before: number): Promise<number> {
  const marked = await markedBefore(deps, before)
  let removed = 0
  let more
  do {
    more = await removeGroup(deps, marked, before)
    removed += more
  } while (more === groupLength)
  return removed
}
