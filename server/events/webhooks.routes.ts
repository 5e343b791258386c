import { applianceWebhooks } from '../../shared/api/appliance-webhooks.ts'
import { implement } from '../surface/implement.ts'
import { testWebhook } from './webhook-deliveries.ts'
import { presentDelivery, presentListed, presentWebhook } from './present-webhook.ts'
import {
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  resendDelivery,
  rotateSecret,
  updateWebhook,
} from './webhooks.ts'

export const applianceWebhookRoutes = implement(applianceWebhooks, {
  async list(call, { tenantId }) {
    return { items: (await listWebhooks(call, tenantId)).map((row) => presentListed(call.app, row)) }
  },
  async create(call, { tenantId, body }) {
    const { webhook, secret } = await createWebhook(call, tenantId, body)
    return { ...presentWebhook(call.app, webhook), secret }
  },
  async update(call, { tenantId, params, body }) {
    return presentWebhook(call.app, await updateWebhook(call, tenantId, params.webhookId, body))
  },
  delete: (call, { tenantId, params }) => deleteWebhook(call, tenantId, params.webhookId),
  async rotate(call, { tenantId, params }) {
    return { secret: await rotateSecret(call, tenantId, params.webhookId) }
  },
  test: (call, { tenantId, params }) => testWebhook(call, tenantId, params.webhookId),
  async deliveries(call, { tenantId, params }) {
    return { items: (await listDeliveries(call, tenantId, params.webhookId)).map(presentDelivery) }
  },
  resend: (call, { tenantId, params }) => resendDelivery(call, tenantId, params.webhookId, params.deliveryId),
})
