import type { BatchKind } from '../../shared/dtos/batch.ts'
import { defineTable, integer, integerOrNull, key, type RowOf, text, textOrNull } from './table.ts'

export const defineBatch = defineTable('batches', {
  id: key(),
  /** Owner key, from `ownerOf`. */
  owner: text(),
  kind: text<BatchKind>(),
  /** Sealed, because a command may contain secrets; null for other kinds. */
  sealedCommand: textOrNull(),
  timeLimitSeconds: integerOrNull(),
  tagId: textOrNull(),
  /** Name of the tag at that time. */
  tagName: textOrNull(),
  createdAt: integer(),
  /** Null while devices are running. */
  finishedAt: integerOrNull(),
})
/** An action on many devices. */
export type BatchRow = RowOf<typeof defineBatch>
