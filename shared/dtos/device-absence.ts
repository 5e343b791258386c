import { z } from 'zod'
import { count, dateTime, dto } from '../contract/fields.ts'
import { deviceId } from './references.ts'

/** Known causes of a device's absence. */
export const absenceCauses = {
  'never-connected': 'The device was registered, and its agent has not connected since.',
  stopped: 'The agent ended its connection properly: it was stopped.',
  uninstalled: 'The agent was uninstalled.',
  update: 'The agent disconnected for an update and has not come back.',
  shutdown: 'The machine was switched off.',
  restart: 'The machine was restarted and has not come back.',
  killed:
    'The connection broke while the machine still responded: the agent crashed or was killed, or the machine went down abruptly.',
  vanished: 'The device fell silent: network, power or sleep.',
  'refused-key': 'Somebody connects as this device with another key than the stored one.',
  'refused-clock': 'The device connects, and its clock is too far off.',
  'refused-tenant': 'The device connects as a device of another tenant.',
  'two-machines': 'Two machines use the identity of the device, so this server takes no commands for either.',
  'server-down': 'This server was down, and the device has not come back since.',
  'server-asleep': 'The computer of this server was asleep, and the device has not come back since.',
  'server-ended': 'This server ended the connection, and the device has not come back since.',
  unknown: 'The device disconnected before the server recorded evidence.',
} as const
export type AbsenceCause = keyof typeof absenceCauses

/** Kinds of evidence for an absence, each with its time. */
const evidenceKinds = [
  'registered',
  'last-seen',
  'closed',
  'broken',
  'silent',
  'announced-stop',
  'announced-shutdown',
  'announced-restart',
  'announced-update',
  'announced-uninstall',
  'asked-restart',
  'asked-shutdown',
  'asked-update',
  'asked-uninstall',
  'refused-key',
  'refused-clock',
  'refused-tenant',
  'two-machines',
  'woken',
  'wrong-identity',
  'update-refused',
  'server-down',
  'server-up',
  'server-asleep',
  'server-awake',
] as const
export type AbsenceEvidenceKind = (typeof evidenceKinds)[number]

const NeighbourDto = dto('DeviceNeighbourDto', {
  id: deviceId,
  name: z.string().describe('Its alias, else its name.'),
  isSameSubnet: z.boolean().describe('The first 24 bits of both local addresses are the same.'),
})

const MachineDto = dto('DeviceMachineDto', {
  id: z.string().describe('To choose it by.'),
  name: z.string().describe('Host name.'),
  osDescription: z.string().describe('System and version.'),
  processorCount: z.number().describe('Logical processors.'),
  totalMemory: z.number().describe('GiB.'),
  macAddresses: z.array(z.string()).describe('Of its network cards.'),
  addresses: z.array(z.string()).describe('Local ones, and last the one that this server sees.'),
})

/** Start and cause of a device's absence, the evidence, and the devices that could wake it. */
export const DeviceAbsenceDto = dto('DeviceAbsenceDto', {
  onlineSince: dateTime.nullable().describe('Null while the device is offline.'),
  since: dateTime.nullable().describe('Null while the device is online.'),
  cause: z
    .enum(Object.keys(absenceCauses) as [AbsenceCause, ...AbsenceCause[]])
    .nullable()
    .describe(
      Object.entries(absenceCauses)
        .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
        .join(' '),
    ),
  evidence: z
    .array(
      dto('AbsenceEvidenceDto', {
        kind: z.enum(evidenceKinds).describe('What was observed; the causes are weighed from these.'),
        at: dateTime.describe('When it was observed, by the clock of this server.'),
        detail: z.string().describe('An address, a version, what was seen; empty where there is nothing to add.'),
      }),
    )
    .describe('Oldest first. For an online device: only servers that recently answered in place of this one.'),
  machines: z
    .array(MachineDto)
    .describe('The two machines that use the identity of the device, until one of them is chosen; else empty.'),
  neighbours: z
    .array(NeighbourDto)
    .describe('Devices that are online and would send a magic packet, of those that the caller may read.'),
  otherNeighbours: count('Number of further devices that could.'),
  wake: dto('DeviceWakeDto', {
    at: dateTime.describe('When the magic packet was sent.'),
    by: z.array(NeighbourDto).describe('Those of the senders that the caller may read.'),
    others: count('Number of senders that the caller cannot read.'),
    cameBackAt: dateTime.nullable().describe('When the device connected again; null while it has not.'),
  })
    .nullable()
    .describe('The last magic packet.'),
})
export type DeviceAbsenceDto = z.output<typeof DeviceAbsenceDto>

const shares = (description: string) => z.array(z.number().min(0).max(1).nullable()).describe(description)

/** Load of a device over the last day, one value per slot; null without data. */
export const DeviceLoadDto = dto('DeviceLoadDto', {
  slotMs: z.number().int().describe('Length of a slot in milliseconds.'),
  start: dateTime.describe('Start of the first slot; the last slot is the current one.'),
  cpu: shares('0 to 1, as last reported in the slot'),
  memory: shares('0 to 1, as last reported in the slot'),
  online: shares('Part of the slot in which the device was connected; null while this server was down.'),
})
export type DeviceLoadDto = z.output<typeof DeviceLoadDto>
