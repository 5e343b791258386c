import { z } from 'zod'
import { count, dateTime, dto, id, textOrNull } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { absenceCauses, type AbsenceCause } from '../dtos/device-absence.ts'
import { HealthState } from '../dtos/health-report.ts'
import { deviceId } from '../dtos/references.ts'

const FoundDeviceDto = dto('HomeDeviceDto', {
  id: deviceId,
  name: z.string().describe('Its alias, else its name.'),
  customerName: textOrNull.describe('Name of its customer; null without one.'),
  since: dateTime.describe('When it was last seen: the start of an absence, or the time of the report.'),
  cause: z
    .enum(Object.keys(absenceCauses) as [AbsenceCause, ...AbsenceCause[]])
    .nullable()
    .describe('Why it is offline, as far as known; null while it is online.'),
  storage: z.number().min(0).max(1).describe('Used share of its storage, 0 to 1.'),
  agentVersion: z.string().describe('Version that the agent last reported.'),
})
export type HomeDeviceDto = z.output<typeof FoundDeviceDto>

export const deviceFindings = ['down', 'disk', 'agent'] as const

const DeviceFindingDto = dto('HomeDeviceFindingDto', {
  kind: z
    .enum(deviceFindings)
    .describe(
      '`down`: offline for at most 7 days, and not shut down or uninstalled; `disk`: over nine tenths of the storage in use; `agent`: another version than this server offers.',
    ),
  count: count('Devices with this finding.'),
  devices: z.array(FoundDeviceDto).describe('At most five of them, the most urgent first.'),
})
export type HomeDeviceFindingDto = z.output<typeof DeviceFindingDto>

const share = { total: count('Devices.'), online: count('Devices that are connected now.') }

export const HomeFleetDto = dto('HomeFleetDto', {
  checkedAt: dateTime.describe('When this was looked at; the clock of this server.'),
  ...share,
  seenInWeek: count('Devices that were connected at some time in the last 7 days.'),
  agentVersion: textOrNull.describe('Version of the agent that this server offers; null if it offers none.'),
  findings: z
    .array(DeviceFindingDto)
    .describe('What needs a hand and is not in an alert that the caller sees; kinds without devices are left out.'),
  customers: z
    .array(
      z.object({
        name: textOrNull.describe('Name of the customer; null: devices without a customer.'),
        ...share,
      }),
    )
    .describe('At most eight customers, the largest first.'),
  otherCustomers: count('Devices of customers that are not listed.'),
  systems: z
    .array(z.object({ platform: z.number().int().describe('Number of the platform, as in a device.'), ...share }))
    .describe('The largest first.'),
})
export type HomeFleetDto = z.output<typeof HomeFleetDto>

export const HomeServerDto = dto('HomeServerDto', {
  checkedAt: dateTime.describe('When this was looked at; the clock of this server.'),
  findings: z
    .array(
      z.object({
        id: z.string().describe('Stable name of the check in the health report, or `update`.'),
        title: z.string().describe('Subject of the check.'),
        state: HealthState.describe('`problem`: something does not work. `warning`: something will not, or may not.'),
        summary: z.string().describe('Finding in a sentence.'),
        advice: textOrNull.describe('What to do.'),
        since: dateTime.nullable().describe('Since when it is so; null if unknown.'),
      }),
    )
    .describe('What needs a hand on this server, the worst first.'),
})
export type HomeServerDto = z.output<typeof HomeServerDto>

export const HomeSignInsDto = dto('HomeSignInsDto', {
  checkedAt: dateTime.describe('When this was looked at; the clock of this server.'),
  items: z
    .array(
      z.object({
        accountId: id.nullable().describe('Account that was named; null for a name without an account.'),
        name: textOrNull.describe('Name of the account; null for a name without an account.'),
        address: textOrNull.describe('Address of the last attempt.'),
        count: count('Failed sign-ins.'),
        since: dateTime.describe('The first of them.'),
        last: dateTime.describe('The last of them.'),
      }),
    )
    .describe('Accounts with five or more failed sign-ins in the last day, most first; at most five.'),
})
export type HomeSignInsDto = z.output<typeof HomeSignInsDto>

export const homeChangeKinds = [
  'devices-added',
  'devices-removed',
  'people-added',
  'people-removed',
  'rights',
  'updates',
  'failed-updates',
  'alerts',
] as const
export type HomeChangeKind = (typeof homeChangeKinds)[number]

export const HomeChangesDto = dto('HomeChangesDto', {
  checkedAt: dateTime.describe('When this was looked at; the clock of this server.'),
  since: dateTime
    .nullable()
    .describe('End of the visit before the present session, or `after` if that is later; null for the first visit.'),
  isComplete: z.boolean().describe('False if there was more than could be looked at: counts are then too small.'),
  items: z
    .array(
      z.object({
        kind: z
          .enum(homeChangeKinds)
          .describe(
            'What changed. `rights`: rights, or members of groups; `updates`: this server runs another version.',
          ),
        count: count('Changes of this kind that the caller may see.'),
        last: dateTime.describe('The newest of them.'),
        things: z
          .array(
            z.object({
              id: textOrNull.describe('Id of the device, person, group or alert; null for the server.'),
              name: textOrNull.describe('Name at that moment.'),
              at: dateTime.describe('When it changed.'),
            }),
          )
          .describe('The newest of them, at most five.'),
      }),
    )
    .describe('What others changed; kinds without changes are left out.'),
})
export type HomeChangesDto = z.output<typeof HomeChangesDto>

/** The start page: what needs a hand, and the fleet at a glance. */
export const applianceHome = defineRoutes('Home', {
  fleet: {
    method: 'GET',
    path: '/api/appliance/v1/home/fleet',
    summary: 'What needs a hand among the devices that the caller can read, and their numbers',
    access: { scope: 'device.read' },
    tenant: 'none',
    response: HomeFleetDto,
  },
  server: {
    method: 'GET',
    path: '/api/appliance/v1/home/server',
    summary: 'What needs a hand on this server, and a newer version of it',
    access: { permission: 'server.telemetry.read', on: 'server' },
    tenant: 'none',
    response: HomeServerDto,
  },
  changes: {
    method: 'GET',
    path: '/api/appliance/v1/home/changes',
    summary: 'What others have changed since the last visit of the caller, at most 30 days ago',
    description: 'Rights are those of the events for programs. What the caller did is left out.',
    access: 'authenticated',
    tenant: 'none',
    query: z.object({ after: dateTime.optional().describe('Nothing before this instant: the caller dismissed it.') }),
    response: HomeChangesDto,
  },
  signIns: {
    method: 'GET',
    path: '/api/appliance/v1/home/sign-ins',
    summary: 'Accounts with many failed sign-ins in the last day; of every tenant for readers of the whole audit log',
    access: { permission: 'appliance.audit.read', on: 'tenant', orOnServer: 'appliance.audit.read' },
    tenant: 'queryOrClaim',
    response: HomeSignInsDto,
  },
})
