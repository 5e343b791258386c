import type { ServerAlertResponseDto } from '../../shared/dtos/server-alert.ts'
import type { ServerAlertRow } from '../models/server-alert.ts'

export const presentServerAlert = (row: ServerAlertRow): ServerAlertResponseDto => ({
  ...row,
  severity: row.severity as ServerAlertResponseDto['severity'],
})
