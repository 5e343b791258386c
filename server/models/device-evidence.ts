import { defineTable, key, text } from './table.ts'

export const defineDeviceEvidence = defineTable('device_evidence', {
  deviceId: key(),
  /** JSON of an `Evidence`, from `services/devices/evidence.ts`. */
  evidence: text(),
})
