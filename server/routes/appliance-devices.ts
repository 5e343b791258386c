import { applianceDevices } from '../../shared/api/appliance-devices.ts'
import { devicePermissionsOf } from '../policies/device.ts'
import { presentTerminal } from '../presenters/terminal.ts'
import { terminalsOf } from '../services/remote/terminals.ts'
import { implement } from './implement.ts'

export const applianceDeviceRoutes = implement(applianceDevices, {
  permissions: ({ app, principal }, { device }) => ({ items: devicePermissionsOf(app, principal, device) }),
  terminals: (call, { device }) => ({ items: terminalsOf(call, device).map(presentTerminal) }),
})
