import { applianceDevices } from '../../shared/api/appliance-devices.ts'
import { devicePermissionsOf } from '../policies/device.ts'
import { implement } from './implement.ts'

export const applianceDeviceRoutes = implement(applianceDevices, {
  permissions: ({ app, principal }, { device }) => ({ items: devicePermissionsOf(app, principal, device) }),
})
