import { integer, integerOrNull, text, textOrNull } from '../engines/database/table.ts'

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

/** Values of a delivery that waits for its first attempt. */
export const newDelivery = (createdAt: number) =>
  ({ state: 'waiting', attempts: 0, createdAt, nextAt: createdAt, lastAt: null, status: null, answer: null }) as const
