import { randomUUID } from 'node:crypto'
import { Op } from 'sequelize'
import { dayMs } from '../../shared/durations.ts'
import { instant } from '../ground/instant.ts'
import { systemCall, type App, type Call, type OpenCall } from '../call/call.ts'
import { presentEvent } from './present.ts'
import { maySee } from './rights.ts'
import type { ProgramEventRow, WebhookDeliveryRow, WebhookRow } from './tables.ts'
import { actorOf } from '../ground/actor.ts'
import { mailedOrigin } from '../network/addresses.ts'
import { outgoingNetworks } from '../network/outgoing-networks.ts'
import { deleteWhere } from '../engines/database/delete-where.ts'
import { startLanes } from '../engines/outgoing/lanes.ts'
import { longestPauseMs, nextOf, pauseAfter } from '../engines/outgoing/retries.ts'
import { OutgoingError, sendOut } from '../engines/outgoing/send-out.ts'
import { fillOutbox, type Places } from './outbox.ts'
import { signedHeaders } from './signature.ts'
import { getWebhook, webhookMakerOf } from './webhooks.ts'

/** Deliveries of one webhook at once. */
const atOnce = 4
/** Interval of looking for deliveries that are due again. */
const lookMs = 5_000
/** Finished deliveries that are kept of one webhook. */
const keptPerWebhook = 10_000
/** Beginning of an answer that is stored: receivers fill no disk with their answers. */
const maxAnswer = 300
/** Time for which finished deliveries are kept. */
const keptMs = 30 * dayMs

interface Outcome {
  isDelivered: boolean
  /** No further attempt. */
  isFinal: boolean
  status: number | null
  answer: string
}

const refused = (answer: string): Outcome => ({ isDelivered: false, isFinal: true, status: null, answer })

/** Why an attempt failed, for the audit log: the text of an answer is the receiver's, and may hold anything. */
export const reasonOf = ({ status, answer }: Pick<Outcome, 'status' | 'answer'>) =>
  status === null ? answer : `The answer was ${status}.`

/** Sends a body to the address of a webhook. */
async function send(app: App, webhook: WebhookRow, { id, body }: { id: string; body: string }, signal?: AbortSignal) {
  try {
    const { status, text } = await sendOut({
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
    return { isDelivered: status >= 200 && status < 300, isFinal: false, status, answer: text }
  } catch (error) {
    if (!(error instanceof OutgoingError)) {
      throw error
    }
    return { isDelivered: false, isFinal: false, status: null, answer: error.message }
  }
}

/** Makes an attempt, after asking the account that made the webhook again (T43). */
async function attempt(app: App, webhook: WebhookRow, { id, eventId }: WebhookDeliveryRow, signal: AbortSignal) {
  const maker = webhookMakerOf(app, webhook)
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

/** Stores the outcome of an attempt; the last one of a delivery is an entry of the audit log. */
async function store(app: App, webhook: WebhookRow, delivery: WebhookDeliveryRow, outcome: Outcome): Promise<void> {
  const { database, models, audit, clock } = app
  const { isDelivered, status, answer } = outcome
  const now = clock.now()
  const next = nextOf(delivery.attempts, outcome, now)
  const { state, attempts } = next
  await database.write(async (transaction) => {
    const changes = { ...next, lastAt: now, status, answer: answer.slice(0, maxAnswer) }
    await models.WebhookDelivery.update(changes, { where: { id: delivery.id }, transaction })
    if (state !== 'waiting') {
      const maker = webhookMakerOf(app, webhook)
      const { id, name, tenantId } = webhook
      const { origin } = new URL(webhook.url)
      const details = { event: delivery.kind, deliveryId: delivery.id, attempts, status, url: origin }
      await audit.recordIn(transaction, maker ? actorOf(maker, null) : systemCall(app).actor, [
        {
          kind: 'export.webhook-delivery',
          outcome: isDelivered ? 'success' : 'failure',
          tenantId,
          target: { kind: 'setting', id, name },
          details: { ...details, ...(!isDelivered && { reason: reasonOf(outcome) }) },
        },
      ])
    }
  })
}

/** Time of the next attempt of what is due: it has come, or the clock was set back since. */
function dueAt({ clock }: App) {
  const now = clock.now()
  return { [Op.or]: [{ [Op.lte]: now }, { [Op.gt]: now + longestPauseMs }] }
}

/**
 * Puts off the next attempt before the present one, whose outcome is stored afterwards: where nothing can be stored, as on a
 * full disk, nothing is sent every few seconds either.
 */
async function claim({ database, models, clock }: App, due: readonly WebhookDeliveryRow[]): Promise<void> {
  await database.write(async (transaction) => {
    for (const [attempts, alike] of Map.groupBy(due, (one) => one.attempts)) {
      const nextAt = clock.now() + (pauseAfter(attempts + 1) ?? lookMs)
      const where = { id: alike.map(({ id }) => id), state: 'waiting' } as const
      await models.WebhookDelivery.update({ nextAt }, { where, transaction })
    }
  })
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
    await claim(app, due)
    await Promise.all(
      due.map(async (delivery) => {
        const outcome = await attempt(app, webhook, delivery, signal)
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
  const { id, name } = webhook
  const event = {
    specversion: '1.0',
    id: 'test',
    source: mailedOrigin(app),
    type: 'webhook.test',
    time: instant(app.clock.now()),
    datacontenttype: 'application/json',
    tenantid: tenantId,
    data: { name },
  }
  const begun = app.clock.monotonic()
  const { isDelivered, status, answer } = await send(app, webhook, { id: randomUUID(), body: JSON.stringify(event) })
  await app.audit.record(actor, {
    kind: 'export.webhook-delivery',
    outcome: isDelivered ? 'success' : 'failure',
    tenantId,
    target: { kind: 'setting', id, name },
    details: {
      event: 'webhook.test',
      attempts: 1,
      status,
      url: new URL(webhook.url).origin,
      ...(!isDelivered && { reason: reasonOf({ status, answer }) }),
    },
  })
  return { isDelivered, status, answer, milliseconds: Math.round(app.clock.monotonic() - begun) }
}

const finishedBeyond = `SELECT id FROM (
  SELECT id, createdAt, row_number() OVER (PARTITION BY webhookId ORDER BY eventId DESC) AS place
  FROM webhook_deliveries WHERE nextAt IS NULL
) AS placed WHERE place > ? OR createdAt < ?`

/** Removes finished deliveries past their time or number. */
export const removeOldDeliveries = ({ app }: OpenCall): Promise<void> =>
  deleteWhere(app, 'webhook_deliveries', `id IN (${finishedBeyond})`, keptPerWebhook, app.retentionClock.now() - keptMs)
