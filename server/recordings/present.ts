import type { RecordingDto, RecordingPolicyDto } from '../../shared/dtos/recording.ts'
import type { RecordingPolicyRow, RecordingRow } from './tables.ts'

const timeOf = (at: number) => new Date(at).toISOString()

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
  startedAt: timeOf(startedAt),
  endedAt: endedAt === null ? null : timeOf(endedAt),
})

export const presentPolicy = ({
  customerId,
  tagId,
  mode,
  retentionDays,
  quotaMegabytes,
}: RecordingPolicyRow): RecordingPolicyDto => ({ customerId, tagId, mode, retentionDays, quotaMegabytes })
