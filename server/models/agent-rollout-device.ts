import { defineTable, integer, integerKey, key, type RowOf, text, textOrNull } from './table.ts'

export const defineAgentRolloutDevice = defineTable('agent_rollout_devices', {
  rolloutId: integerKey(),
  deviceId: key(),
  ring: integer(),
  askedAt: integer(),
  /** `skipped`: was shut down or slept meanwhile; no evidence about the version. */
  outcome: text<'asked' | 'updated' | 'failed' | 'skipped'>(),
  reason: textOrNull(),
})
/** A device that was asked to update in a rollout. */
export type AgentRolloutDeviceRow = RowOf<typeof defineAgentRolloutDevice>
