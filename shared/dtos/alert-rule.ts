import { z } from 'zod'
import { createdAt, dateTime, dto, id, ownId, resourceName, textOrNull } from '../contract/fields.ts'
import { userId } from './references.ts'
import { weeklyHours } from './weekly-hours.ts'

/** Thing that a condition is about: decides who may see its alerts. */
export type AlertSubject = 'device' | 'organization' | 'rights' | 'settings' | 'server'

const dayMinutes = 24 * 60

const minutes = (least: number, what: string) =>
  z
    .number()
    .int()
    .min(least)
    .max(30 * dayMinutes)
    .describe(`Minutes, ${least} to 43,200: ${what}`)
const percent = z.number().int().min(1).max(100).describe('Per cent, 1 to 100.')
const lasting = { percent, minutes: minutes(1, 'how long the value is above it.') }

export const WorkingHours = dto('AlertWorkingHoursDto', weeklyHours)

const condition = <const Kind extends string, Settings extends z.core.$ZodLooseShape>(
  kind: Kind,
  subject: AlertSubject,
  lasts: boolean,
  says: string,
  settings: Settings,
) => ({
  subject,
  lasts,
  schema: z.object({ kind: z.literal(kind).describe(says), ...settings }).meta({ title: kind }),
})

/**
 * Every condition, with what it is about. A condition that lasts closes its alert when its cause is gone; the others
 * tell of a moment, and an alert about it is closed by acknowledging.
 */
const conditions = [
  condition('device-offline', 'device', true, 'A device is offline for so long.', {
    minutes: minutes(1, 'how long it is offline.'),
    includesPlanned: z.boolean().describe('Whether devices count that were shut down, or whose agent was uninstalled.'),
  }),
  condition('device-back', 'device', false, 'A device is online again after it was offline for so long.', {
    minutes: minutes(1, 'how long it was offline at least.'),
  }),
  condition('device-disk', 'device', true, 'More of the storage of a device is in use, for so long.', lasting),
  condition('device-disk-forecast', 'device', true, 'A disk of a device will be full within so many days.', {
    days: z.number().int().min(1).max(90).describe('Days, 1 to 90.'),
  }),
  condition('device-memory', 'device', true, 'More of the memory of a device is in use, for so long.', lasting),
  condition('device-load', 'device', true, 'The processors of a device are busier, for so long.', lasting),
  condition('device-agent-behind', 'device', true, 'A connected agent has another version than this server offers.', {
    minutes: minutes(1, 'how long it is behind.'),
  }),
  condition('device-new', 'device', false, 'A device was registered for the first time.', {}),
  condition('device-two-machines', 'device', true, 'Two machines use the identity of a device.', {}),
  condition('device-changed-hands', 'device', false, 'A known device was registered anew, with an installer key.', {}),
  condition('device-session', 'device', false, 'Somebody begins a session on a device outside of these hours.', {
    hours: WorkingHours.describe('Hours in which sessions are expected.'),
  }),
  condition('sign-ins-failed', 'organization', true, 'So many sign-ins to one account failed in so many minutes.', {
    count: z.number().int().min(3).max(1000).describe('Failed sign-ins, 3 to 1,000.'),
    minutes: z.number().int().min(1).max(dayMinutes).describe('Minutes, 1 to 1,440.'),
  }),
  condition('right-given', 'rights', false, 'Somebody was given rights, or was added to a group of people.', {}),
  condition(
    'maker-gone',
    'settings',
    true,
    'An alert rule or a webhook has stopped, because the account that made it is gone, disabled, or may not make it any more.',
    {},
  ),
  condition(
    'server-certificate',
    'server',
    true,
    'The certificate of this server expires soon, or cannot be used.',
    {},
  ),
  condition('server-backup', 'server', true, 'A backup of this server is late, failed, or cannot be restored.', {}),
  condition('server-update', 'server', true, 'A newer version of this server is there, or an update failed.', {}),
  condition('server-problem', 'server', true, 'Another check of the health report found a problem.', {}),
] as const

type Schema = (typeof conditions)[number]['schema']

export const AlertCondition = z
  .discriminatedUnion('kind', conditions.map(({ schema }) => schema) as unknown as [Schema, ...Schema[]])
  .meta({
    id: 'AlertConditionDto',
    description: 'What a rule looks for; `kind` says which settings there are.',
    examples: [{ kind: 'device-offline', minutes: 5, includesPlanned: false }],
  })
export type AlertCondition = z.output<typeof AlertCondition>
export type AlertKind = AlertCondition['kind']

/** Facts about each condition. */
export const alertKinds = new Map<AlertKind, { subject: AlertSubject; lasts: boolean }>(
  conditions.map(({ subject, lasts, schema }) => [schema.shape.kind.value, { subject, lasts }]),
)
export const alertKindNames = [...alertKinds.keys()] as [AlertKind, ...AlertKind[]]

export const alertScopes = ['everything', 'customer', 'tag', 'group', 'view', 'device'] as const

const scope = {
  kind: z
    .enum(alertScopes)
    .describe(
      'Devices to look at. Conditions that are not about devices have `everything`. A customer includes its sites.',
    ),
  id: id.nullable().describe('The customer, tag, device group, saved view or device; null for `everything`.'),
}

export const AlertScope = z
  .object(scope)
  .refine(({ kind, id: of }) => (kind === 'everything') === (of === null), 'needs an id, or none for everything')
  .meta({ id: 'AlertScopeDto', examples: [{ kind: 'everything', id: null }] })
export type AlertScope = z.output<typeof AlertScope>

export const maxReceivers = 50

const receivers = {
  kind: z
    .enum(['on-call', 'administrators', 'people'])
    .describe(
      '`on-call`: who is on call; `administrators`: holders of `tenant.settings.write`; `people`: those of `userIds`. Administrators, if nobody of those may see the alert.',
    ),
  userIds: z.array(userId).max(maxReceivers).describe('At most 50 people, for `people`; else empty.'),
}

export const AlertReceivers = z
  .object(receivers)
  .refine(
    ({ kind, userIds }) => (kind === 'people') === userIds.length > 0,
    'needs people, or none for the other kinds',
  )
  .meta({
    id: 'AlertReceiversDto',
    description: 'Who is notified, as far as each may see what the alert is about.',
    examples: [{ kind: 'on-call', userIds: [] }],
  })
export type AlertReceivers = z.output<typeof AlertReceivers>

export const AlertRuleRequestDto = dto('AlertRuleRequestDto', {
  name: resourceName.describe('Name for people.'),
  condition: AlertCondition.describe('What the rule looks for.'),
  scope: AlertScope.describe('Devices to look at.'),
  receivers: AlertReceivers.describe('Who is notified.'),
  isEnabled: z.boolean().describe('False stops the rule, and closes its alerts.'),
})
export type AlertRuleRequestDto = z.output<typeof AlertRuleRequestDto>

export const AlertRuleDto = dto('AlertRuleDto', {
  id: ownId,
  name: resourceName.describe('Name for people.'),
  condition: AlertCondition.describe('What the rule looks for.'),
  scope: z
    .object({ ...scope, name: textOrNull.describe('Name of it; null for `everything`, or if it is gone.') })
    .describe('Devices to look at.'),
  receivers: z.object(receivers).describe('Who is notified.'),
  isEnabled: z.boolean().describe('False: the rule looks for nothing.'),
  isDefault: z.boolean().describe('Whether the server made the rule, and nobody changed its scope since.'),
  madeBy: textOrNull.describe('Account that made or last changed it; null for the server.'),
  mayAct: z.boolean().describe('False while that account is gone, disabled, or may not make rules: the rule stops.'),
  openAlerts: z.number().int().describe('Alerts of the rule that are not closed.'),
  createdAt,
})
export type AlertRuleDto = z.output<typeof AlertRuleDto>

export const AlertRulePreviewDto = dto('AlertRulePreviewDto', {
  from: dateTime.describe('Since when there is history to look at, at most 7 days.'),
  count: z.number().int().describe('Alerts that the rule would have opened.'),
  items: z
    .array(
      z.object({
        at: dateTime.describe('When it would have been opened.'),
        title: z.string().describe('What it would have said.'),
        devices: z.number().int().describe('Number of its devices; 0 if it is not about devices.'),
      }),
    )
    .describe('The newest 50, newest first.'),
  isComplete: z.boolean().describe('False if there was too much history to look at all of it.'),
  missing: textOrNull.describe('Why the caller may not see what the rule would have said; null if it may.'),
})
export type AlertRulePreviewDto = z.output<typeof AlertRulePreviewDto>
