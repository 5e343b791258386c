import { z } from 'zod'
import { createdAt, ownId } from '../contract/fields.ts'
import { deviceId } from './references.ts'

const group = z.object({
  id: ownId,
  name: z.string().describe('Unique in the tenant, without regard to case.'),
  description: z.string().nullable().describe('Free text of at most 500 characters; null when none was given.'),
  createdAt,
})

/** A set of devices that rights can be granted on; a device may be in several. */
export const DeviceGroupResponseDto = group
  .extend({
    memberCount: z
      .number()
      .int()
      .describe('Number of devices in the group, those among them that the caller cannot read included.'),
  })
  .meta({ id: 'DeviceGroupResponseDto' })
export type DeviceGroupResponseDto = z.output<typeof DeviceGroupResponseDto>

export const DeviceGroupMemberResponseDto = z
  .object({
    deviceId,
    deviceName: z.string().describe('Name that the agent of the device reports.'),
    alias: z
      .string()
      .nullable()
      .describe('Name given by people, shown in place of `deviceName`; null when none was given.'),
    customerName: z.string().nullable().describe('Name of the customer that the device belongs to; null without one.'),
  })
  .meta({ id: 'DeviceGroupMemberResponseDto' })
export type DeviceGroupMemberResponseDto = z.output<typeof DeviceGroupMemberResponseDto>

export const DeviceGroupDetailResponseDto = group
  .extend({ members: z.array(DeviceGroupMemberResponseDto).describe('Ordered by device name.') })
  .meta({ id: 'DeviceGroupDetailResponseDto' })
export type DeviceGroupDetailResponseDto = z.output<typeof DeviceGroupDetailResponseDto>
