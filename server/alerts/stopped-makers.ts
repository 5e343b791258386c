import type { App } from '../call/call.ts'
import { settingMakerNow } from '../rights/rights.ts'
import type { NewSubject } from './prepare-alert.ts'
import { webhookSubject } from './present.ts'
import { reconcile } from './reconcile.ts'
import { ruleMakerOf } from './rights.ts'

type Stopped = NewSubject & { tenantId: string }

/** Rules and webhooks that are on, and whose maker is gone, disabled, or may not make them any more (T43). */
async function stoppedNow(app: App): Promise<Stopped[]> {
  const { alertRules, models, accounts, serviceAccounts, clock } = app
  const reason = (makerId: string | null) => {
    const name = accounts.nameOf(makerId ?? '') ?? serviceAccounts.get(makerId ?? '')?.name
    return `Made by ${name === undefined ? 'an account that is gone' : `${name}, an account that is disabled or may not make it any more`}`
  }
  const subjectOf = (subject: string, name: string, of: { tenantId: string; makerId: string | null }): Stopped => ({
    subject,
    tenantId: of.tenantId,
    deviceId: null,
    name,
    since: clock.now(),
    detail: reason(of.makerId),
  })
  const webhooks = await models.Webhook.findAll({ where: { isEnabled: true }, raw: true })
  return [
    ...alertRules
      .enabled()
      .filter(({ row }) => ruleMakerOf(app, row) === undefined)
      .map(({ row }) => subjectOf(`rule ${row.id}`, `The alert rule ${row.name}`, row)),
    ...webhooks
      .filter((webhook) => settingMakerNow(app, webhook) === undefined)
      .map((webhook) => subjectOf(webhookSubject + webhook.id, `The webhook ${webhook.name}`, webhook)),
  ]
}

/** Compares rules and webhooks that have stopped with the rules about them. */
export async function checkStopped(app: App): Promise<void> {
  const rules = app.alertRules
    .enabled()
    .filter(({ row, condition }) => condition.kind === 'maker-gone' && ruleMakerOf(app, row) !== undefined)
  if (rules.length > 0) {
    const stopped = await stoppedNow(app)
    for (const rule of rules) {
      const found = stopped.filter(({ tenantId }) => tenantId === rule.row.tenantId)
      await reconcile(app, rule, found)
    }
  }
}
