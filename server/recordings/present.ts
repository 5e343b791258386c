import { instant, instantOrNull } from '../ground/instant.ts'
import type { RecordingDto, RecordingPolicyDto } from '../../shared/dtos/recording.ts'
import type { RecordingPolicyRow, RecordingRow } from './tables.ts'

export const presentRecording = ({
  tenantId: _,
  sealedKey: __,
  blocks: ___,
  personKind: ____,
  serverId: _____,
  startedAt,
  endedAt,
  ...row
}: RecordingRow): RecordingDto => ({
  ...row,
  startedAt: instant(startedAt),
  endedAt: instantOrNull(endedAt),
})

export const presentPolicy = ({
  customerId,
  tagId,
  mode,
  retentionDays,
  quotaMegabytes,
}: RecordingPolicyRow): RecordingPolicyDto => ({ customerId, tagId, mode, retentionDays, quotaMegabytes })
