import { defineTable, key, type RowOf, text } from './table.ts'

export const defineDeviceEvidence = defineTable('device_evidence', {
  deviceId: key(),
  /** JSON of an `Evidence`, from `services/devices/evidence.ts`. */
  evidence: text(),
})
export type DeviceEvidenceRow = RowOf<typeof defineDeviceEvidence>
