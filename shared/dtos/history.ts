import { z } from 'zod'
import { dateTime, dto } from '../contract/fields.ts'

export const historyRanges = ['day', 'week', 'quarter'] as const
export const HistoryRange = z
  .enum(historyRanges)
  .describe(
    '`day`: the last 24 hours; `week`: the last 7 days, by the hour; `quarter`: the last 90 days, by six hours.',
  )
export type HistoryRange = z.output<typeof HistoryRange>

const numbers = (description: string) => z.array(z.number().min(0).nullable()).describe(description)
const shares = (description: string) => z.array(z.number().min(0).max(1).nullable()).describe(description)

const axis = {
  stepMs: z.number().int().describe('Length of a step in milliseconds.'),
  start: dateTime.describe('Start of the first step; the last step is the present one, and its value that of now.'),
}

/** Curves of a device, one value per step; null without data. */
export const DeviceHistoryDto = dto('DeviceHistoryDto', {
  ...axis,
  online: shares('Part of the step in which the device was connected; null while this server was down.'),
  cpu: shares('Share of all processors in use, 0 to 1: the mean of the reports.'),
  memory: shares('Share of the memory in use, 0 to 1: the mean of the reports.'),
  disks: z
    .array(
      z.object({
        name: z.string().describe('Path of the disk; empty for the system drive of an agent that reports no drives.'),
        used: shares('Used share, 0 to 1.'),
        fullAt: dateTime
          .nullable()
          .describe(
            'When the disk will be full if it goes on like in the last four weeks; null without a clear trend.',
          ),
      }),
    )
    .describe('At most eight disks.'),
})
export type DeviceHistoryDto = z.output<typeof DeviceHistoryDto>

/** Curves of several devices, one value per step; null without data. */
export const FleetHistoryDto = dto('FleetHistoryDto', {
  ...axis,
  devices: z.number().int().describe('Devices that the curves are made of. Deleted devices are in none of them.'),
  online: numbers('Devices online, as a mean over the step; null while this server was down.'),
  known: z.array(z.number().int()).describe('Devices that existed in the step, as far as it is known.'),
  cpu: shares('Mean of the devices that reported, 0 to 1.'),
  memory: shares('Mean of the devices that reported, 0 to 1.'),
  disk: shares('Used share of the fullest disk of each device, as a mean, 0 to 1.'),
})
export type FleetHistoryDto = z.output<typeof FleetHistoryDto>
