import { createHmac, randomBytes } from 'node:crypto'
import type { App } from '../call/call.ts'
import type { WebhookRow } from './tables.ts'

const prefix = 'whsec_'

export const newSecret = () => prefix + randomBytes(32).toString('base64')

const contextOf = (id: string) => `webhooks/${id}/secret`

export const sealSecret = ({ sealer }: App, id: string, secret: string) => sealer.seal(secret, contextOf(id))

/** Headers of the Standard Webhooks form. For a day after a rotation, the former secret signs too. */
export function signedHeaders(app: App, webhook: WebhookRow, { id, body }: { id: string; body: string }) {
  const { sealedSecret, sealedFormer, formerUntil } = webhook
  const now = app.clock.now()
  const timestamp = String(Math.floor(now / 1000))
  const isFormerGood = sealedFormer !== null && formerUntil !== null && formerUntil > now
  const signatures = [sealedSecret, ...(isFormerGood ? [sealedFormer] : [])].map((sealed) => {
    const secret = app.sealer.unseal(sealed, contextOf(webhook.id)).toString().slice(prefix.length)
    const hmac = createHmac('sha256', Buffer.from(secret, 'base64')).update(`${id}.${timestamp}.${body}`)
    return `v1,${hmac.digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
