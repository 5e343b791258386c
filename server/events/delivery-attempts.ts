import type { Transaction } from 'sequelize'
import { dayMs } from '../../shared/durations.ts'
import type { Clock } from '../ground/clock.ts'
import type { Database } from '../engines/database/database.ts'
import { deleteWhere } from '../engines/database/delete-where.ts'
import { integer, integerOrNull, text, textOrNull } from '../engines/database/table.ts'
import { pauseAfter } from '../engines/outgoing/retries.ts'
import { OutgoingError, sendOut } from '../engines/outgoing/send-out.ts'

/** Interval of looking for deliveries that are due again. */
export const lookMs = 5_000
/** Beginning of an answer that is stored: receivers fill no disk with their answers. */
export const maxAnswer = 300
/** Time for which finished deliveries are kept. */
const keptMs = 30 * dayMs

/** Attempts of a delivery and their outcome. */
export const deliveryColumns = {
  state: text<'waiting' | 'delivered' | 'failed'>(),
  attempts: integer(0),
  createdAt: integer(),
  /** Time of the next attempt; null once it is delivered or given up. */
  nextAt: integerOrNull(),
  lastAt: integerOrNull(),
  status: integerOrNull(),
  /** Beginning of the answer, or why there was none. */
  answer: textOrNull(),
}

export const newDelivery = (createdAt: number) =>
  ({ state: 'waiting', attempts: 0, createdAt, nextAt: createdAt, lastAt: null, status: null, answer: null }) as const

export interface Outcome {
  isDelivered: boolean
  isFinal?: boolean
  /** HTTP status; null without an answer, and for mail. */
  status: number | null
  answer: string
}

/** Outcome of a delivery that may not be sent any more. */
export const refused = (answer: string): Outcome => ({ isDelivered: false, isFinal: true, status: null, answer })

/** Why an attempt failed, for the audit log: the text of an answer is the receiver's, and may hold anything. */
export const failureOf = ({ isDelivered, status, answer }: Outcome) =>
  isDelivered ? {} : { reason: status === null ? answer : `The answer was ${status}.` }

/** Sends a request. A receiver that does not answer, or cannot be reached, is an outcome. */
export async function attempt(request: Parameters<typeof sendOut>[0]): Promise<Outcome> {
  try {
    const { status, text: answer } = await sendOut(request)
    return { isDelivered: status >= 200 && status < 300, status, answer }
  } catch (error) {
    if (!(error instanceof OutgoingError)) {
      throw error
    }
    return { isDelivered: false, status: null, answer: error.message }
  }
}

interface Due {
  id: string
  attempts: number
}

type Waiting = { id: string[]; state: 'waiting' }

/**
 * Puts off the next attempt before the present one, whose outcome is stored afterwards: where nothing can be stored, as on a
 * full disk, nothing is sent every few seconds either.
 */
export async function putOff(
  { database, clock }: { database: Database; clock: Clock },
  due: readonly Due[],
  update: (values: { nextAt: number }, options: { where: Waiting; transaction: Transaction }) => Promise<unknown>,
): Promise<void> {
  await database.write(async (transaction) => {
    for (const [attempts, alike] of Map.groupBy(due, (one) => one.attempts)) {
      const nextAt = clock.now() + (pauseAfter(attempts + 1) ?? lookMs)
      await update({ nextAt }, { where: { id: alike.map(({ id }) => id), state: 'waiting' }, transaction })
    }
  })
}

interface Finished {
  table: string
  /** Column of the receiver, and order of its newest deliveries. */
  receiver: string
  order: string
  /** Finished deliveries that are kept of one receiver. */
  kept: number
}

/** Removes finished deliveries past their time or number. */
export function removeFinished(
  app: { database: Database; retentionClock: { now(): number } },
  { table, receiver, order, kept }: Finished,
): Promise<void> {
  const beyond = `SELECT id FROM (
    SELECT id, createdAt, row_number() OVER (PARTITION BY ${receiver} ORDER BY ${order}) AS place
    FROM ${table} WHERE nextAt IS NULL
  ) AS placed WHERE place > ? OR createdAt < ?`
  return deleteWhere(app, table, `id IN (${beyond})`, kept, app.retentionClock.now() - keptMs)
}
