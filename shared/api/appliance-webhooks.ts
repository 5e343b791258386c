import { z } from 'zod'
import { createdAt, dateTime, dto, id, listDto, ownId, resourceName, textOrNull } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { EventKindOrGroup } from './appliance-events.ts'

/** Webhooks of an organization. */
export const maxWebhooks = 20

const kinds = z
  .array(EventKindOrGroup)
  .min(1)
  .max(50)
  .nullable()
  .describe('Types or groups of events, such as `device.offline` or `backup`; null for all.')

const fields = {
  name: resourceName.describe('Name for people.'),
  url: z.string().max(2000).describe('Address that gets each event: `https://` or `http://`.'),
  kinds,
  isEnabled: z.boolean().describe('False stops it; events of that time are not sent later.'),
}

const WebhookBody = z.object(fields).meta({ id: 'WebhookRequestDto' })
export type WebhookBody = z.output<typeof WebhookBody>

const shown = {
  id: ownId,
  ...fields,
  madeBy: textOrNull.describe('Account that made or last changed it. Its rights decide which events are sent.'),
  mayAct: z
    .boolean()
    .describe('False while that account is gone, disabled, or may not make webhooks: nothing is sent.'),
  createdAt,
  formerSecretUntil: dateTime.nullable().describe('Until when the secret before the last rotation signs, too.'),
  dropped: z.int().describe('Deliveries dropped since its last change, because more than 10,000 waited.'),
  lastDroppedEventId: textOrNull.describe(
    'Newest event whose delivery was dropped; `GET /api/appliance/v1/events` has those events for 30 days. Null: none.',
  ),
}

const WebhookDto = z.object(shown).meta({ id: 'WebhookDto' })
export type WebhookDto = z.output<typeof WebhookDto>

const secret = z.string().describe('Signs each request: `whsec_` and base64. Shown only here.')

const WebhookDeliveryDto = dto('WebhookDeliveryDto', {
  id: id.describe('Sent as `webhook-id`, the same with each attempt.'),
  eventId: z.string().describe('Id of the event.'),
  type: z.string().describe('Type of the event.'),
  state: z
    .enum(['waiting', 'delivered', 'failed'])
    .describe('`waiting` for its first or next attempt; `failed` after a day, or because its maker lost the right.'),
  attempts: z.number().int().describe('Attempts so far.'),
  createdAt,
  lastAt: dateTime.nullable().describe('Last attempt.'),
  nextAt: dateTime.nullable().describe('Next attempt.'),
  status: z.number().int().nullable().describe('HTTP status of the last answer; null without one.'),
  answer: textOrNull.describe('Beginning of the last answer, or why there was none.'),
})
export type WebhookDeliveryDto = z.output<typeof WebhookDeliveryDto>

const ListedWebhookDto = dto('ListedWebhookDto', {
  ...shown,
  lastDelivery: WebhookDeliveryDto.nullable().describe('Delivery of its newest event; null before the first.'),
  waiting: z.number().int().describe('Deliveries that wait for their first or next attempt.'),
})
export type ListedWebhookDto = z.output<typeof ListedWebhookDto>

const access = { permission: 'tenant.settings.write', on: 'tenant' } as const
const own = {
  access,
  tenant: 'queryOrClaim',
  params: z.object({ webhookId: id.describe('The webhook, by the `id` of `GET /api/appliance/v1/webhooks`.') }),
  problems: { 404: 'There is none in this organization.' },
  isStable: true,
} as const

/** Webhooks: events for programs, sent to an address as they happen. */
export const applianceWebhooks = defineRoutes('Webhooks', {
  list: {
    method: 'GET',
    path: '/api/appliance/v1/webhooks',
    summary: 'Webhooks of an organization, oldest first',
    isStable: true,
    access,
    tenant: 'queryOrClaim',
    response: listDto('WebhookListDto', ListedWebhookDto, 'At most 20.'),
  },
  create: {
    method: 'POST',
    path: '/api/appliance/v1/webhooks',
    summary: 'Make a webhook, which begins with the next event',
    recentProof: true,
    description:
      'Each event is sent as a POST request in the form of Standard Webhooks. An answer other than 2xx is retried with growing pauses for a day. Redirects are not followed. Only addresses of the internet are reached, and networks of `Service_AppOptions__OutgoingNetworks`.',
    problems: { 409: 'The organization has 20 webhooks already.' },
    isStable: true,
    access,
    tenant: 'queryOrClaim',
    body: WebhookBody,
    response: dto('CreatedWebhookDto', { ...shown, secret }),
    status: 201,
  },
  update: {
    ...own,
    method: 'PUT',
    path: '/api/appliance/v1/webhooks/:webhookId',
    summary: 'Change a webhook; the caller becomes its maker',
    recentProof: true,
    body: WebhookBody,
    response: WebhookDto,
  },
  delete: {
    ...own,
    method: 'DELETE',
    path: '/api/appliance/v1/webhooks/:webhookId',
    summary: 'Delete a webhook with its deliveries',
  },
  rotate: {
    ...own,
    method: 'POST',
    path: '/api/appliance/v1/webhooks/:webhookId/secret',
    summary: 'Replace the secret; for a day the former one signs, too',
    recentProof: true,
    response: dto('WebhookSecretDto', { secret }),
  },
  test: {
    ...own,
    method: 'POST',
    path: '/api/appliance/v1/webhooks/:webhookId/test',
    summary: 'Send a test event now, and see what came back',
    response: dto('WebhookTestDto', {
      isDelivered: z.boolean().describe('Whether the answer was 2xx.'),
      status: z.number().int().nullable().describe('HTTP status; null without an answer.'),
      answer: z.string().describe('Beginning of the answer, or why there was none.'),
      milliseconds: z.number().int().describe('Time that it took.'),
    }),
  },
  deliveries: {
    ...own,
    method: 'GET',
    path: '/api/appliance/v1/webhooks/:webhookId/deliveries',
    summary: 'The newest 100 deliveries of a webhook, newest first; finished ones are kept for 30 days',
    response: listDto('WebhookDeliveryListDto', WebhookDeliveryDto, 'Newest first; not paged.'),
  },
  resend: {
    ...own,
    method: 'POST',
    path: '/api/appliance/v1/webhooks/:webhookId/deliveries/:deliveryId/resend',
    summary: 'Send a delivery once more, with the same id',
    problems: { 404: 'There is no such webhook or delivery.' },
    params: own.params.extend({ deliveryId: id.describe('The delivery.') }),
  },
})
