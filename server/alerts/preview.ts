import { weekMs } from '../../shared/durations.ts'
import type { AlertCondition, AlertRulePreviewDto, AlertScope } from '../../shared/dtos/alert-rule.ts'
import type { Call } from '../call/call.ts'
import { instant } from '../ground/instant.ts'
import { failedSignIns, moments, pastAlerts } from './past-events.ts'
import { absences, forecasts, fullStorages, loads, type Found, type Past } from './past-states.ts'
import { seesKind } from './rights.ts'
import { scopeTest } from './scope.ts'
import { titleOf } from './texts.ts'

/** Subjects that begin so soon after one another count as the same alert. */
const burstMs = 2 * 60_000
const shown = 50

async function pastOf(call: Call, tenantId: string, condition: AlertCondition, scope: AlertScope): Promise<Past> {
  const { app, principal } = call
  const isIn = await scopeTest(app, scope, { tenantId, principal })
  const inScope = () => new Map([...app.fleet.all].filter(isIn).map((device) => [device.id, device]))
  switch (condition.kind) {
    case 'device-offline':
      return absences(app, tenantId, inScope(), condition.minutes, false)
    case 'device-back':
      return absences(app, tenantId, inScope(), condition.minutes, true)
    case 'device-disk':
      return fullStorages(app, inScope(), condition)
    case 'device-disk-forecast':
      return forecasts(app, inScope(), condition)
    case 'device-memory':
    case 'device-load':
      return loads(app, inScope(), condition)
    case 'device-new':
    case 'device-changed-hands':
    case 'device-session':
    case 'right-given':
      return moments(call, tenantId, condition, isIn)
    case 'sign-ins-failed':
      return failedSignIns(call, tenantId, condition)
    case 'device-agent-behind':
    case 'device-two-machines':
    case 'maker-gone':
    case 'server-certificate':
    case 'server-backup':
    case 'server-update':
    case 'server-problem':
      return pastAlerts(call, tenantId, condition, isIn)
  }
}

/** Groups what would have been told together. */
function alertsIn(found: readonly Found[]): Found[][] {
  const groups: Found[][] = []
  for (const one of found.toSorted((a, b) => a.since - b.since)) {
    const last = groups.at(-1)
    if (last && one.since - last.at(-1)!.since <= burstMs) {
      last.push(one)
    } else {
      groups.push([one])
    }
  }
  return groups
}

/** Alerts that a rule of the caller would have opened in the last 7 days. */
export async function previewRule(
  call: Call,
  tenantId: string,
  condition: AlertCondition,
  scope: AlertScope,
): Promise<AlertRulePreviewDto> {
  if (!seesKind(call.app, call.principal, condition.kind, tenantId)) {
    const from = instant(call.app.clock.now() - weekMs)
    return { from, count: 0, items: [], isComplete: true, missing: 'You may not see such alerts.' }
  }
  const past = await pastOf(call, tenantId, condition, scope)
  const groups = alertsIn(past.found)
  return {
    from: instant(past.from),
    count: groups.length,
    items: groups
      .slice(-shown)
      .toReversed()
      .map((group) => {
        const customers = new Set(group.map(({ device }) => device?.customerName ?? null))
        const customer = customers.size === 1 ? [...customers][0]! : null
        return {
          at: instant(Math.min(...group.slice(0, 1).map(({ at }) => at))),
          title: titleOf(condition.kind, group, customer),
          devices: group.filter(({ device }) => device !== undefined).length,
        }
      }),
    isComplete: past.isComplete,
    missing: null,
  }
}
