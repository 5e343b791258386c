import { defineTable, integer, integerKey, integerOrNull, type RowOf, text, textOrNull } from './table.ts'

export const defineAgentRollout = defineTable('agent_rollouts', {
  /** Time of its start in ms since 1970. */
  id: integerKey(),
  version: text(),
  ring: integer(),
  state: text<'running' | 'stopped' | 'done'>(),
  /** When the last device of the ring was settled; null while one is not. */
  settledAt: integerOrNull(),
  /** Why it was stopped. */
  reason: textOrNull(),
})
/** A new version of the agent that devices get in rings: one, ten per cent, all. */
export type AgentRolloutRow = RowOf<typeof defineAgentRollout>
