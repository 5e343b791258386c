import { tenantSettingTable } from '../../shared/dtos/tenant-setting.ts'
import { namedSettings } from './named-settings.ts'

export const tenantSettings = namedSettings({
  settings: tenantSettingTable,
  model: (models) => models.TenantSetting,
  owner: 'tenantId',
})
