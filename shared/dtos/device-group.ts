import { z } from 'zod'
import { dateTime, id } from '../contract/fields.ts'

const group = z.object({ id, name: z.string(), description: z.string().nullable(), createdAt: dateTime })

/** A set of devices that rights can be granted on; a device may be in many. */
export const DeviceGroupResponseDto = group
  .extend({ memberCount: z.number().int() })
  .meta({ id: 'DeviceGroupResponseDto' })
export type DeviceGroupResponseDto = z.output<typeof DeviceGroupResponseDto>

export const DeviceGroupMemberResponseDto = z
  .object({
    deviceId: id,
    deviceName: z.string(),
    alias: z.string().nullable(),
    customerName: z.string().nullable(),
  })
  .meta({ id: 'DeviceGroupMemberResponseDto' })
export type DeviceGroupMemberResponseDto = z.output<typeof DeviceGroupMemberResponseDto>

export const DeviceGroupDetailResponseDto = group
  .extend({ members: z.array(DeviceGroupMemberResponseDto).meta({ description: 'Ordered by device name.' }) })
  .meta({ id: 'DeviceGroupDetailResponseDto' })
export type DeviceGroupDetailResponseDto = z.output<typeof DeviceGroupDetailResponseDto>
