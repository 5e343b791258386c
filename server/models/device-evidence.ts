import { key, text } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineDeviceEvidence = defineTable('device_evidence', {
  deviceId: key(),
  /** JSON of an `Evidence`, from `services/devices/evidence.ts`. */
  evidence: text(),
})
export type DeviceEvidenceRow = RowOf<typeof defineDeviceEvidence>
