import type { ServerAlertResponseDto } from '../../shared/dtos/server-alert.ts'
import type { ServerSettingDto } from '../../shared/dtos/server-setting.ts'
import { withoutMarks } from './key-table.ts'
import type { SettingRow } from './keys.ts'
import type { StorableSetting } from './stored-settings.ts'
import type { ServerAlertRow } from './tables.ts'

/** A setting in force: its row in the table of settings, its value and where the value comes from. */
export interface SettingInForce {
  row: SettingRow
  storable: StorableSetting | undefined
  text: string | undefined
  source: ServerSettingDto['source'] | undefined
  isStored: boolean
  lockedBy: string[]
}

/** @param knowsPaths Whether the reader may know where things are on the computer of the server. */
export function presentServerSetting(
  setting: SettingInForce,
  { knowsPaths }: { knowsPaths: boolean },
): ServerSettingDto {
  const { row, storable, text, source = 'default', isStored, lockedBy } = setting
  const fallback = row.shownDefault ?? row.fallback
  const isHidden = row.secret === true || (row.kind.type === 'path' && !knowsPaths)
  return {
    key: row.key,
    variable: `Service_${row.key}`,
    description: withoutMarks(row.description),
    group: storable?.group ?? null,
    type: row.many === 'list' ? `${row.kind.type}[]` : row.kind.type,
    allowed: storable?.kind.allowed ?? row.kind.allowed,
    isSecret: row.secret === true,
    isSet: source !== 'default',
    value: isHidden ? null : (text ?? (fallback === '' ? null : fallback)),
    defaultValue: row.secret === true || fallback === '' ? null : fallback,
    source,
    isStored,
    lockedBy,
    takesEffect: storable && lockedBy.length === 0 ? 'at-once' : 'after-restart',
  }
}

export const presentServerAlert = (row: ServerAlertRow): ServerAlertResponseDto => ({
  ...row,
  severity: row.severity as ServerAlertResponseDto['severity'],
})
