import { randomUUID } from 'node:crypto'
import { Op } from 'sequelize'
import type { AuditEvent } from '../audit/event.ts'
import { instant } from '../ground/instant.ts'
import { systemCall, type App, type Call, type OpenCall } from '../call/call.ts'
import { presentEvent } from './present.ts'
import { maySee } from './rights.ts'
import type { ProgramEventRow, WebhookDeliveryRow, WebhookRow } from './tables.ts'
import { actorOf } from '../ground/actor.ts'
import { mailedOrigin } from '../network/addresses.ts'
import { outgoingNetworks } from '../network/outgoing-networks.ts'
import {
  attempt,
  failureOf,
  lookMs,
  maxAnswer,
  putOff,
  refused,
  removeFinished,
  type Outcome,
} from './delivery-attempts.ts'
import { startLanes } from '../engines/outgoing/lanes.ts'
import { longestPauseMs, nextOf } from '../engines/outgoing/retries.ts'
import { fillOutbox, type Places } from './outbox.ts'
import { signedHeaders } from './signature.ts'
import { getWebhook } from './webhooks.ts'
import { settingMakerNow } from '../rights/rights.ts'

/** Deliveries of one webhook at once. */
const atOnce = 4

/** Sends a body to the address of a webhook. */
const send = (app: App, webhook: WebhookRow, { id, body }: { id: string; body: string }, signal?: AbortSignal) =>
  attempt({
    tenantId: webhook.tenantId,
    part: 'webhooks',
    url: webhook.url,
    headers: {
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'user-agent': `Farhand/${app.version}`,
      ...signedHeaders(app, webhook, { id, body }),
    },
    body,
    ...outgoingNetworks(app),
    signal,
  })

/** Makes an attempt, after asking the account that made the webhook again (T43). */
async function deliver(app: App, webhook: WebhookRow, { id, eventId }: WebhookDeliveryRow, signal: AbortSignal) {
  const maker = settingMakerNow(app, webhook)
  const [event] = await app.database.all<ProgramEventRow>('SELECT * FROM program_events WHERE id = ?', [eventId])
  if (!maker) {
    return refused('The account that made this webhook is gone, disabled, or may no longer make webhooks.')
  }
  if (!event) {
    return refused('The event is no longer kept.')
  }
  if (!maySee(app, maker, event)) {
    return refused('The account that made this webhook may no longer see this event.')
  }
  return send(app, webhook, { id, body: JSON.stringify(presentEvent(event, mailedOrigin(app))) }, signal)
}

const auditEventOf = (
  { id, name, tenantId, url }: WebhookRow,
  outcome: Outcome,
  details: { event: string; deliveryId?: string; attempts: number },
): AuditEvent<'export.webhook-delivery'> => ({
  kind: 'export.webhook-delivery',
  outcome: outcome.isDelivered ? 'success' : 'failure',
  tenantId,
  target: { kind: 'setting', id, name },
  details: { ...details, status: outcome.status, url: new URL(url).origin, ...failureOf(outcome) },
})

/** Stores the outcome of an attempt; the last one of a delivery is an entry of the audit log. */
async function store(app: App, webhook: WebhookRow, delivery: WebhookDeliveryRow, outcome: Outcome): Promise<void> {
  const { database, models, audit, clock } = app
  const { status, answer } = outcome
  const now = clock.now()
  const next = nextOf(delivery.attempts, outcome, now)
  const { state, attempts } = next
  await database.write(async (transaction) => {
    const changes = { ...next, lastAt: now, status, answer: answer.slice(0, maxAnswer) }
    await models.WebhookDelivery.update(changes, { where: { id: delivery.id }, transaction })
    if (state !== 'waiting') {
      const maker = settingMakerNow(app, webhook)
      const event = auditEventOf(webhook, outcome, { event: delivery.kind, deliveryId: delivery.id, attempts })
      await audit.recordIn(transaction, maker ? actorOf(maker, null) : systemCall(app).actor, [event])
    }
  })
}

/** Time of the next attempt of what is due: it has come, or the clock was set back since. */
function dueAt({ clock }: App) {
  const now = clock.now()
  return { [Op.or]: [{ [Op.lte]: now }, { [Op.gt]: now + longestPauseMs }] }
}

/** Sends what is due of one webhook, a few at once, until nothing is. */
async function sendDue(app: App, webhookId: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const webhook = await app.models.Webhook.findByPk(webhookId, { raw: true })
    const due = await app.models.WebhookDelivery.findAll({
      where: { webhookId, nextAt: dueAt(app) },
      order: ['nextAt', 'eventId'],
      limit: atOnce,
      raw: true,
    })
    if (!webhook?.isEnabled || due.length === 0) {
      return
    }
    await putOff(app, due, (values, options) => app.models.WebhookDelivery.update(values, options))
    await Promise.all(
      due.map(async (delivery) => {
        const outcome = await deliver(app, webhook, delivery, signal)
        // An attempt that the stop interrupts is repeated after the next start, with the same id.
        if (!signal.aborted) {
          await store(app, webhook, delivery, outcome)
        }
      }),
    )
  }
}

/** Sends events to webhooks as they happen. Returns a function that stops and waits for what is being stored. */
export function startWebhooks(app: App): () => Promise<void> {
  const places: Places = new Map()
  const { stop, wake } = startLanes({
    clock: app.clock,
    lookMs,
    async due() {
      if ((await fillOutbox(app, places)) === 0) {
        return []
      }
      const due = await app.database.all<{ webhookId: string }>(
        `SELECT id AS webhookId FROM webhooks WHERE isEnabled AND (
          EXISTS (SELECT 1 FROM webhook_deliveries WHERE webhookId = webhooks.id AND nextAt <= ?1)
          OR EXISTS (SELECT 1 FROM webhook_deliveries WHERE webhookId = webhooks.id AND nextAt > ?2))`,
        [app.clock.now(), app.clock.now() + longestPauseMs],
      )
      return due.map(({ webhookId }) => webhookId)
    },
    send: (webhookId, signal) => sendDue(app, webhookId, signal),
    complain: (error) => app.log.error({ err: error }, 'Webhooks could not be sent; retrying.'),
  })
  app.webhookLanes.wake = wake
  let cancelNext = () => {}
  const onNext = () => {
    cancelNext = app.events.onNext(onNext)
    wake()
  }
  onNext()
  return async () => {
    cancelNext()
    await stop()
  }
}

/** Sends a test event at once, and says what came back. */
export async function testWebhook(call: Call, tenantId: string, webhookId: string) {
  const { app, actor } = call
  const webhook = await getWebhook(call, tenantId, webhookId)
  const event = {
    specversion: '1.0',
    id: 'test',
    source: mailedOrigin(app),
    type: 'webhook.test',
    time: instant(app.clock.now()),
    datacontenttype: 'application/json',
    tenantid: tenantId,
    data: { name: webhook.name },
  }
  const begun = app.clock.monotonic()
  const outcome = await send(app, webhook, { id: randomUUID(), body: JSON.stringify(event) })
  await app.audit.record(actor, auditEventOf(webhook, outcome, { event: 'webhook.test', attempts: 1 }))
  return { ...outcome, milliseconds: Math.round(app.clock.monotonic() - begun) }
}

export const removeOldDeliveries = ({ app }: OpenCall): Promise<void> =>
  removeFinished(app, { table: 'webhook_deliveries', receiver: 'webhookId', order: 'eventId DESC', kept: 10_000 })
