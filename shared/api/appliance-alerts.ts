import { z } from 'zod'
import { count, dto, id, listDto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import {
  AlertDto,
  AlertOnCallDto,
  AlertOnCallRequestDto,
  alertStates,
  AlertWatchDto,
  maxSnoozeMinutes,
} from '../dtos/alert.ts'
import {
  AlertCondition,
  AlertRuleDto,
  AlertRulePreviewDto,
  AlertRuleRequestDto,
  AlertScope,
} from '../dtos/alert-rule.ts'
import { deviceId } from '../dtos/references.ts'

const own = { access: 'authenticated', tenant: 'claim' } as const
const ofAlert = {
  ...own,
  params: z.object({ alertId: id.describe('The alert, by its `id`.') }),
  problems: { 404: 'There is none that the caller may see.' },
} as const
const reading = { access: { permission: 'tenant.settings.read', on: 'tenant' }, tenant: 'queryOrClaim' } as const
const writing = { access: { permission: 'tenant.settings.write', on: 'tenant' }, tenant: 'queryOrClaim' } as const
const ruleParams = z.object({ ruleId: id.describe('The rule, by the `id` of `GET /api/appliance/v1/alert-rules`.') })
const ruleProblems = { 404: 'There is none in this organization.' } as const
/** Alerts, the rules that open them, watched devices, and who is on call. */
export const applianceAlerts = defineRoutes('Alerts', {
  list: {
    ...own,
    method: 'GET',
    path: '/api/appliance/v1/alerts',
    summary: 'Alerts that the caller may see, newest first',
    description:
      'Counts, titles and devices are those that the caller may see at this moment. Closed alerts are kept for 90 days.',
    query: z.object({
      state: z
        .enum([...alertStates, 'active'])
        .default('active')
        .describe('Only alerts in this state; `active`: all that are not closed.'),
      deviceId: deviceId.optional().describe('Only alerts about this device.'),
      ruleId: id.optional().describe('Only alerts of this rule.'),
      customerId: id.optional().describe('Only alerts about a device that this customer has now.'),
      before: z.string().max(60).optional().describe('`next` of the page before.'),
      limit: z.coerce.number().int().min(1).max(100).default(50).describe('1 to 100 alerts.'),
    }),
    response: dto('AlertListDto', {
      items: z.array(AlertDto).describe('Newest first.'),
      next: z.string().nullable().describe('`before` of the next page; null at the end.'),
    }),
  },
  summary: {
    ...own,
    method: 'GET',
    path: '/api/appliance/v1/alerts/summary',
    summary: 'Number of active alerts that the caller may see',
    response: dto('AlertSummaryDto', {
      open: count('Alerts that nobody has taken up.'),
      acknowledged: count('Alerts that somebody has acknowledged.'),
      snoozed: count('Alerts that are snoozed.'),
      deviceIds: z.array(id).describe('At most 1,000 devices with an active alert, for marks in lists.'),
      watchedIds: z.array(id).describe('Devices of which the caller is told when they are back; at most 100.'),
    }),
  },
  get: {
    ...ofAlert,
    method: 'GET',
    path: '/api/appliance/v1/alerts/:alertId',
    summary: 'An alert with its devices',
    response: AlertDto,
  },
  acknowledge: {
    ...ofAlert,
    method: 'POST',
    path: '/api/appliance/v1/alerts/:alertId/acknowledgement',
    summary: 'Take up an alert, by name: nobody else is notified; one about a moment is closed',
    problems: { ...ofAlert.problems, 409: 'It is closed.' },
    response: AlertDto,
  },
  snooze: {
    ...ofAlert,
    method: 'POST',
    path: '/api/appliance/v1/alerts/:alertId/snooze',
    summary: 'Notify nobody for a time; then those who were told are reminded while the cause is there',
    problems: { ...ofAlert.problems, 409: 'It is closed.' },
    body: dto('SnoozeAlertRequestDto', {
      minutes: z.number().int().min(0).max(maxSnoozeMinutes).describe('Minutes, at most 7 days; 0 ends the snooze.'),
    }),
    response: AlertDto,
  },
  listRules: {
    ...reading,
    method: 'GET',
    path: '/api/appliance/v1/alert-rules',
    summary: 'Rules of an organization, by name; rules about the server only for readers of its health',
    response: dto('AlertRuleListDto', {
      items: z.array(AlertRuleDto).describe('At most 100; not paged.'),
      mayEdit: z.boolean().describe('Whether the caller may make and change rules.'),
    }),
  },
  createRule: {
    ...writing,
    method: 'POST',
    path: '/api/appliance/v1/alert-rules',
    summary: 'Make a rule, which looks for what happens from now on',
    problems: { 409: 'The organization has 100 rules already.' },
    body: AlertRuleRequestDto,
    response: AlertRuleDto,
    status: 201,
  },
  updateRule: {
    ...writing,
    method: 'PUT',
    path: '/api/appliance/v1/alert-rules/:ruleId',
    summary:
      'Change a rule; the caller becomes its maker, unless the server made it and its scope stays. Another condition or scope closes its alerts',
    params: ruleParams,
    problems: ruleProblems,
    body: AlertRuleRequestDto,
    response: AlertRuleDto,
  },
  deleteRule: {
    ...writing,
    method: 'DELETE',
    path: '/api/appliance/v1/alert-rules/:ruleId',
    summary: 'Delete a rule, and close its alerts',
    params: ruleParams,
    problems: ruleProblems,
  },
  previewRule: {
    ...reading,
    method: 'POST',
    path: '/api/appliance/v1/alert-rules/preview',
    summary: 'What a rule would have said in the last 7 days, about what the caller may see',
    body: dto('PreviewAlertRuleRequestDto', {
      condition: AlertCondition.describe('What the rule looks for.'),
      scope: AlertScope.describe('Devices to look at.'),
    }),
    response: AlertRulePreviewDto,
  },
  watches: {
    ...own,
    method: 'GET',
    path: '/api/appliance/v1/alert-watches',
    summary: 'Devices of which the caller is told when they are back',
    problems: { 403: 'The caller is no person.' },
    response: listDto('AlertWatchListDto', AlertWatchDto, 'At most 100, the oldest first.'),
  },
  watch: {
    method: 'PUT',
    path: '/api/appliance/v1/devices/:deviceId/watch',
    summary: 'Tell the caller once when an offline device is back',
    problems: { 403: 'The caller is no person.', 409: 'The device is online, or the caller watches 100 devices.' },
    access: { permission: 'device.read', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params: z.object({ deviceId }),
  },
  unwatch: {
    method: 'DELETE',
    path: '/api/appliance/v1/devices/:deviceId/watch',
    summary: 'Do not tell the caller when a device is back',
    problems: { 403: 'The caller is no person.' },
    access: { permission: 'device.read', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params: z.object({ deviceId }),
  },
  onCall: {
    ...reading,
    method: 'GET',
    path: '/api/appliance/v1/alert-on-call',
    summary: 'Who is on call, and who is notified while nobody has acknowledged',
    response: AlertOnCallDto,
  },
  setOnCall: {
    ...writing,
    method: 'PUT',
    path: '/api/appliance/v1/alert-on-call',
    summary: 'Change who is on call',
    problems: { 400: 'The second is the first, or one of them is nobody of this organization.' },
    body: AlertOnCallRequestDto,
    response: AlertOnCallDto,
  },
})
