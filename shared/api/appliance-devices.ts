import { z } from 'zod'
import { id } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'

const params = z.object({ deviceId: id })

/** What the page of a device needs beyond the customer's interface. */
export const applianceDevices = defineRoutes('DevicePages', {
  permissions: {
    method: 'GET',
    path: '/api/appliance/v1/devices/:deviceId/permissions',
    summary: 'Names of the device permissions that the caller holds on this device',
    access: { permission: 'device.read', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params,
    response: z.object({ items: z.array(z.string()) }).meta({ id: 'DevicePermissionsDto' }),
  },
})
