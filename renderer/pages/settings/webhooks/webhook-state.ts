import type { ListedWebhookDto, WebhookDeliveryDto } from '../../../../shared/api/appliance-webhooks.ts'
import type { webhooks } from './texts.ts'

type StateName = keyof typeof webhooks.states

export const deliveryState = ({ state, attempts }: WebhookDeliveryDto): StateName =>
  state === 'waiting' && attempts > 0 ? 'retrying' : state

/** State of a webhook: why it sends nothing, or what became of its last delivery. */
export const webhookState = ({ isEnabled, mayAct, lastDelivery }: ListedWebhookDto): StateName => {
  if (!isEnabled) {
    return 'paused'
  }
  if (!mayAct) {
    return 'stopped'
  }
  return lastDelivery ? deliveryState(lastDelivery) : 'none'
}
