import type { DeviceViewDto } from '../../shared/api/appliance-device-views.ts'
import type { DeviceViewRow } from '../models/device-view.ts'

export const presentDeviceView = (view: DeviceViewRow, mayEdit: boolean): DeviceViewDto => ({
  id: view.id,
  name: view.name,
  query: view.query,
  sort: view.sort,
  isShared: view.userId === null,
  authorName: view.authorName,
  createdAt: new Date(view.createdAt).toISOString(),
  mayEdit,
})
