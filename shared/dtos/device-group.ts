import { z } from 'zod'
import { dto, textOrNull } from '../contract/fields.ts'
import { groupFields } from './group.ts'
import { deviceId } from './references.ts'

/** A set of devices that rights can be granted on; a device may be in several. */
export const DeviceGroupResponseDto = dto('DeviceGroupResponseDto', {
  ...groupFields,
  memberCount: z
    .number()
    .int()
    .describe('Number of devices in the group, those among them that the caller cannot read included.'),
})
export type DeviceGroupResponseDto = z.output<typeof DeviceGroupResponseDto>

export const DeviceGroupMemberResponseDto = dto('DeviceGroupMemberResponseDto', {
  deviceId,
  deviceName: z.string().describe('Name that the agent of the device reports.'),
  alias: textOrNull.describe('Name given by people, shown in place of `deviceName`; null when none was given.'),
  customerName: textOrNull.describe('Name of the customer that the device belongs to; null without one.'),
})
export type DeviceGroupMemberResponseDto = z.output<typeof DeviceGroupMemberResponseDto>

export const DeviceGroupDetailResponseDto = dto('DeviceGroupDetailResponseDto', {
  ...groupFields,
  members: z.array(DeviceGroupMemberResponseDto).describe('Ordered by device name.'),
})
export type DeviceGroupDetailResponseDto = z.output<typeof DeviceGroupDetailResponseDto>
