import { randomUUID } from 'node:crypto'
import { Op } from 'sequelize'
import { systemCall, type App, type Call, type OpenCall } from '../call/call.ts'
import { presentEvent } from '../events/present.ts'
import { maySee } from '../events/rights.ts'
import type { ProgramEventRow } from '../events/tables.ts'
import { actorOf } from '../ground/actor.ts'
import { mailedOrigin } from '../network/addresses.ts'
import { OutgoingError, sendOut } from '../outgoing/send-out.ts'
import { fillOutbox, type Places } from './outbox.ts'
import { signedHeaders } from './signature.ts'
import type { WebhookDeliveryRow, WebhookRow } from './tables.ts'
import { getWebhook, makerOf } from './webhooks.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** Pauses after each failed attempt: about a day in all. */
const pausesMs = [
  5_000,
  30_000,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
  6 * hourMs,
  10 * hourMs,
]
/** Deliveries of one webhook at once. */
const atOnce = 4
/** Interval of looking for deliveries that are due again. */
const lookMs = 5_000
/** Time for which finished deliveries are kept. */
const keptMs = 30 * 24 * hourMs

interface Outcome {
  isDelivered: boolean
  /** No further attempt. */
  isFinal: boolean
  status: number | null
  answer: string
}

const refused = (answer: string): Outcome => ({ isDelivered: false, isFinal: true, status: null, answer })

/** Why an attempt failed, for the audit log: the text of an answer is the receiver's, and may hold anything. */
const reasonOf = ({ status, answer }: Pick<Outcome, 'status' | 'answer'>) =>
  status === null ? answer : `The answer was ${status}.`

/** Sends a body to the address of a webhook. */
async function send(app: App, webhook: WebhookRow, { id, body }: { id: string; body: string }, signal?: AbortSignal) {
  try {
    const { status, text } = await sendOut({
      url: webhook.url,
      headers: {
        'content-type': 'application/cloudevents+json; charset=utf-8',
        'user-agent': `Farhand/${app.version}`,
        ...signedHeaders(app, webhook, { id, body }),
      },
      body,
      allowed: app.config.appOptions.outgoingNetworks,
      own: Object.values(app.readInterfaces()).flatMap((infos = []) => infos.flatMap(({ cidr }) => cidr ?? [])),
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
  const maker = makerOf(app, webhook)
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
  const attempts = delivery.attempts + 1
  const pauseMs = isDelivered || outcome.isFinal ? undefined : pausesMs[attempts - 1]
  const now = clock.now()
  const state = isDelivered ? 'delivered' : pauseMs === undefined ? 'failed' : 'waiting'
  const nextAt = pauseMs === undefined ? null : now + pauseMs
  await database.write(async (transaction) => {
    const changes = { state, attempts, nextAt, lastAt: now, status, answer } as const
    await models.WebhookDelivery.update(changes, { where: { id: delivery.id }, transaction })
    if (state !== 'waiting') {
      const maker = makerOf(app, webhook)
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

/** Sends what is due of one webhook, a few at once, until nothing is. */
async function sendDue(app: App, webhookId: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const webhook = await app.models.Webhook.findByPk(webhookId, { raw: true })
    const due = await app.models.WebhookDelivery.findAll({
      where: { webhookId, nextAt: { [Op.lte]: app.clock.now() } },
      order: ['nextAt', 'eventId'],
      limit: atOnce,
      raw: true,
    })
    if (!webhook?.isEnabled || due.length === 0) {
      return
    }
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
  const end = new AbortController()
  const running = new Map<string, Promise<void>>()
  const places: Places = new Map()
  const complain = (error: unknown) => app.log.error({ err: error }, 'Webhooks could not be sent; retrying.')
  const look = async () => {
    await fillOutbox(app, places)
    const due = await app.database.all<{ webhookId: string }>(
      `SELECT id AS webhookId FROM webhooks WHERE isEnabled AND EXISTS (
        SELECT 1 FROM webhook_deliveries WHERE webhookId = webhooks.id AND nextAt <= ?)`,
      [app.clock.now()],
    )
    for (const { webhookId } of due.filter((one) => !running.has(one.webhookId))) {
      const work = sendDue(app, webhookId, end.signal)
        .catch(complain)
        .finally(() => running.delete(webhookId))
      running.set(webhookId, work)
    }
  }
  let looking: Promise<void> | undefined
  let isAsked = false
  const wake = () => {
    isAsked = true
    looking ??= (async () => {
      while (isAsked && !end.signal.aborted) {
        isAsked = false
        await look().catch(complain)
      }
    })().finally(() => (looking = undefined))
  }
  let cancelNext = () => {}
  const onNext = () => {
    if (!end.signal.aborted) {
      cancelNext = app.events.onNext(onNext)
      wake()
    }
  }
  onNext()
  const cancel = app.clock.every(lookMs, wake)
  return async () => {
    end.abort()
    cancel()
    cancelNext()
    await looking
    await Promise.all(running.values())
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
    time: new Date(app.clock.now()).toISOString(),
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

/** Removes finished deliveries past their time. */
export async function removeOldDeliveries({ app: { database, models, clock } }: OpenCall): Promise<void> {
  const where = { nextAt: null, createdAt: { [Op.lt]: clock.now() - keptMs } }
  await database.write((transaction) => models.WebhookDelivery.destroy({ where, transaction }))
}
