import { defineTable, integerKey, type RowOf, text, textOrNull } from './table.ts'

export const defineAgentRelease = defineTable('agent_releases', {
  /** Time of its first signature in ms since 1970; later entries have greater times, regardless of the clock. */
  build: integerKey(),
  runtime: text(),
  version: text(),
  bundleSha256: text(),
  tarSha256: textOrNull(),
  installerSha256: text(),
})
/** A signed agent for a system. Of entries with the same files the newest counts. */
export type AgentReleaseRow = RowOf<typeof defineAgentRelease>
