import { z } from 'zod'
import { id } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { DeviceHistoryDto, FleetHistoryDto, HistoryRange } from '../dtos/history.ts'
import { deviceId } from '../dtos/references.ts'

/** Load, disks and online time of the last 90 days. */
export const applianceHistory = defineRoutes('History', {
  device: {
    method: 'GET',
    path: '/api/appliance/v1/devices/:deviceId/history',
    summary: 'CPU, memory, disks and online time of a device, and when its disks will be full',
    access: { permission: 'device.read', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params: z.object({ deviceId }),
    query: z.object({ range: HistoryRange }),
    response: DeviceHistoryDto,
  },
  fleet: {
    method: 'GET',
    path: '/api/appliance/v1/history',
    summary: 'Devices online and their load, of all devices that the caller can read, of a customer, or of a tag',
    access: { scope: 'device.read' },
    tenant: 'none',
    query: z.object({
      range: HistoryRange,
      customerId: id.optional().describe('Only devices of this customer and of its sites.'),
      tagId: id.optional().describe('Only devices with this tag.'),
    }),
    response: FleetHistoryDto,
  },
})
