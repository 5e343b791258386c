import { applianceDevices } from '../../shared/api/appliance-devices.ts'
import { devicePermissionsOf, deviceRight } from '../policies/device.ts'
import { deviceAgent } from '../services/agents/make.ts'
import { keepMachine } from '../services/agents/two-machines.ts'
import { absenceOf } from '../services/devices/absence.ts'
import { dismissStranger } from '../services/devices/evidence.ts'
import { loadOf } from '../services/devices/load.ts'
import { groupsOf } from '../services/organization/groups.ts'
import { presentTerminal } from '../presenters/terminal.ts'
import { terminalsOf } from '../services/remote/terminals.ts'
import { implement } from './implement.ts'

export const applianceDeviceRoutes = implement(applianceDevices, {
  permissions: ({ app, principal }, { device }) => ({ items: devicePermissionsOf(app, principal, device) }),
  permitted: ({ app, principal }, { devices, body: { permission, deviceIds } }) => {
    const isAllowed = deviceRight(app, principal, permission)
    return {
      deviceIds: deviceIds.filter((id) => {
        const device = devices.get(id)
        return device !== undefined && isAllowed(device)
      }),
    }
  },
  agents: ({ app }, { devices, body: { deviceIds } }) => ({
    items: deviceIds.flatMap((id) => {
      const device = devices.get(id)
      return device ? deviceAgent(app, device) : []
    }),
  }),
  absence: (call, { device }) => absenceOf(call, device),
  dismissWrongIdentity: (call, { device, body }) => dismissStranger(call, device, Date.parse(body.at)),
  keepMachine: (call, { device, body }) => keepMachine(call, device, body.machineId),
  load: ({ app }, { device }) => loadOf(app, device),
  groups: async (call, { device }) => ({ items: await groupsOf(call, device) }),
  terminals: (call, { device }) => ({ items: terminalsOf(call, device).map(presentTerminal) }),
})
