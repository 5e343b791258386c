import { defineTable, integer, integerKey, integerOrNull, type RowOf, text, textOrNull } from './table.ts'

export const defineAgentRollout = defineTable('agent_rollouts', {
  /** Time of its start in ms since 1970, or the next free number. */
  id: integerKey(),
  tenantId: text(),
  version: text(),
  ring: integer(),
  state: text<'running' | 'stopped' | 'done'>(),
  /** When the last device of the ring was settled; null while one is not. */
  settledAt: integerOrNull(),
  /** Why it was stopped. */
  reason: textOrNull(),
})
/** A new version of the agent that the devices of a tenant get in rings: one, ten per cent, all. */
export type AgentRolloutRow = RowOf<typeof defineAgentRollout>
