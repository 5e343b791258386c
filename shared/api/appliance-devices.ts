import { z } from 'zod'
import { devicePermissions } from '../access.ts'
import { dateTime, dto, id, listDto, maxIds } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { DeviceAbsenceDto, DeviceLoadDto } from '../dtos/device-absence.ts'
import { DeviceAgentDto } from '../dtos/device-agent.ts'
import { PowerVariant } from '../dtos/power-change.ts'
import { DevicePowerDto, OrderPowerDto, PowerOrderDto } from '../dtos/power-order.ts'
import { deviceId } from '../dtos/references.ts'
import { DeviceTerminalDto } from '../dtos/terminal.ts'

const params = z.object({ deviceId })
const access = { permission: 'device.read', on: 'device', at: 'deviceId' } as const

/** Data for a device's page beyond the customer's interface. */
export const applianceDevices = defineRoutes('DevicePages', {
  permissions: {
    method: 'GET',
    path: '/api/appliance/v1/devices/:deviceId/permissions',
    summary: 'Names of the device permissions that the caller holds on this device',
    access,
    tenant: 'none',
    params,
    response: listDto(
      'DevicePermissionsDto',
      z.string(),
      'Names of the permissions that the caller holds on the device.',
    ),
  },
  permitted: {
    method: 'POST',
    path: '/api/appliance/v1/devices/permitted',
    summary: 'Which of up to 1000 devices the caller holds a permission on',
    access: { scope: 'device.read' },
    tenant: 'none',
    body: dto('PermittedDevicesRequestDto', {
      permission: z.enum(devicePermissions).describe('The permission that is asked about.'),
      deviceIds: z.array(id).max(maxIds).describe('At most 1,000 devices; unknown ones count as not permitted.'),
    }),
    response: dto('PermittedDevicesDto', {
      deviceIds: z.array(id).describe('Those of the devices on which the caller holds the permission.'),
    }),
  },
  agents: {
    method: 'POST',
    path: '/api/appliance/v1/devices/agents',
    summary: 'Makes of the agents of up to 1000 devices, and which of them this server can update',
    access: { scope: 'device.read' },
    tenant: 'none',
    body: dto('DeviceAgentsRequestDto', { deviceIds: z.array(id).max(maxIds).describe('At most 1,000 devices.') }),
    response: listDto('DeviceAgentListDto', DeviceAgentDto, 'One for each of the devices that the caller can read.'),
  },
  absence: {
    method: 'GET',
    path: '/api/appliance/v1/devices/:deviceId/absence',
    summary: 'Since when and why a device is offline, as far as known, and which devices could wake it',
    access,
    tenant: 'none',
    params,
    response: DeviceAbsenceDto,
  },
  dismissWrongIdentity: {
    method: 'POST',
    path: '/api/appliance/v1/devices/:deviceId/wrong-identity/dismissals',
    summary: 'Dismiss, for everyone, the notice that a device reached another server; a later one is shown again',
    access: { permission: 'device.alias.write', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params,
    body: dto('DismissWrongIdentityDto', { at: dateTime.describe('Of the evidence that was read.') }),
  },
  keepMachine: {
    method: 'POST',
    path: '/api/appliance/v1/devices/:deviceId/machines/choice',
    summary: 'Choose which of two machines keeps the identity of a device; the other one is enrolled as a new device',
    access: { permission: 'device.delete', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params,
    body: dto('KeepMachineDto', { machineId: z.string().max(64).describe('Of `machines`.') }),
  },
  load: {
    method: 'GET',
    path: '/api/appliance/v1/devices/:deviceId/load',
    summary: 'CPU, memory and online time of the last 24 hours, in slots of five minutes',
    access,
    tenant: 'none',
    params,
    response: DeviceLoadDto,
  },
  groups: {
    method: 'GET',
    path: '/api/appliance/v1/devices/:deviceId/groups',
    summary: 'The device groups that a device is in, by name',
    access,
    tenant: 'none',
    params,
    response: dto('GroupsOfDeviceDto', {
      items: z
        .array(
          dto('GroupOfDeviceDto', {
            id: id.describe('The group, by the `id` of `GET /api/v1/device-groups`.'),
            name: z.string().describe('Name of the group.'),
          }),
        )
        .nullable()
        .describe('Null for a caller without `tenant.device-groups.read`.'),
    }),
  },
  changePower: {
    method: 'POST',
    path: '/api/appliance/v1/devices/:deviceId/power',
    summary: 'Lock a device, sign everybody out, let it sleep, or restart it into its firmware or into safe mode',
    problems: {
      409: 'The device is offline.',
      503: 'The device cannot do it, with its reason; agents of other makes never can.',
    },
    access: { permission: 'device.power.manage', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params,
    body: dto('PowerVariantRequestDto', {
      change: PowerVariant.describe('Restart and shutdown are methods of the viewer hub.'),
    }),
  },
  power: {
    method: 'GET',
    path: '/api/appliance/v1/devices/:deviceId/power',
    summary: 'Power changes that a device can make, and the restart or shutdown that is ordered for later',
    access,
    tenant: 'none',
    params,
    response: DevicePowerDto,
  },
  orderPower: {
    method: 'PUT',
    path: '/api/appliance/v1/devices/:deviceId/power/order',
    summary: 'Order a restart or shutdown, with the person at the device asked; it replaces an earlier order',
    problems: {
      403: 'The caller came by a link.',
      409: 'The device is offline.',
      503: 'The device does not take the order, with its reason; agents of other makes never do.',
    },
    access: { permission: 'device.power.manage', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params,
    body: OrderPowerDto,
    response: PowerOrderDto,
  },
  cancelPower: {
    method: 'DELETE',
    path: '/api/appliance/v1/devices/:deviceId/power/order',
    summary: 'Cancel the restart or shutdown that is ordered; a device that is offline is refused when it asks',
    problems: { 404: 'Nothing is ordered.' },
    access: { permission: 'device.power.manage', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params,
  },
  terminals: {
    method: 'GET',
    path: '/api/appliance/v1/devices/:deviceId/terminals',
    summary: 'Open terminals of the caller on this device, those used last first',
    access: { permission: 'device.terminal.use', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params,
    response: listDto(
      'DeviceTerminalListDto',
      DeviceTerminalDto,
      'Open terminals of the caller on the device; not paged.',
    ),
  },
})
