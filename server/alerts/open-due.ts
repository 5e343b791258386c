import { absenceCauses, type AbsenceCause } from '../../shared/dtos/device-absence.ts'
import type { App } from '../call/call.ts'
import { causesOf, plannedCauses, returnMs } from '../devices/absence.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { prepareAlert, type NewSubject } from './prepare-alert.ts'
import { ruleMakerOf } from './rights.ts'
import type { LastingRule } from './rule-mirror.ts'
import { scopeTest } from './scope.ts'
import type { Pending } from './signals.ts'

/** A subject that began so soon after one that is due is told together with that one, before its own time. */
const burstMs = 60_000

type Burst = [deviceId: string, pending: Pending][]

/** Subjects of a rule that are due, and those that began with them, oldest first. */
function burstOf(pending: ReadonlyMap<string, Pending>, now: number): Burst {
  let latest = -Infinity
  pending.forEach(({ since, dueAt }) => {
    latest = dueAt <= now ? Math.max(latest, since) : latest
  })
  return latest === -Infinity
    ? []
    : [...pending]
        .filter(([, { since, dueAt }]) => dueAt <= now || since <= latest + burstMs)
        .toSorted(([, one], [, other]) => one.since - other.since)
}

/** Absences that no rule tells of: another rule does, or the agent was never here. */
const untold: ReadonlySet<AbsenceCause> = new Set(['never-connected', 'two-machines'])

/** Details of each device of a burst; none for a device that is not told of, or not yet. */
async function detailsOf(app: App, { condition, lasting }: LastingRule, devices: readonly DeviceState[], burst: Burst) {
  if (condition.kind !== 'device-offline') {
    return new Map(devices.map((device) => [device.id, lasting.detailOf?.(device) ?? null]))
  }
  const causes = await causesOf(app, devices)
  const pending = new Map(burst)
  return new Map(
    devices.flatMap(({ id }): [string, string | null][] => {
      const cause = causes.get(id) ?? 'unknown'
      if (untold.has(cause) || (plannedCauses.has(cause) && !condition.includesPlanned)) {
        return []
      }
      const one = pending.get(id)!
      const more = (returnMs[cause] ?? 0) - lasting.delayMs
      if (more > 0 && !one.isExtended) {
        one.isExtended = true
        one.dueAt = app.clock.monotonic() + more
        return []
      }
      return [[id, cause === 'unknown' ? null : absenceCauses[cause]]]
    }),
  )
}

async function openBurst(app: App, rule: LastingRule, burst: Burst): Promise<void> {
  const { row } = rule
  const { alertSignals, fleet, database } = app
  const maker = ruleMakerOf(app, row)
  const scope = { kind: row.scopeKind, id: row.scopeId }
  const isIn = maker && (await scopeTest(app, scope, { tenantId: row.tenantId, principal: maker }))
  const devices = burst.flatMap(([id]) => fleet.get(id) ?? []).filter((device) => isIn?.(device))
  const details = await detailsOf(app, rule, devices, burst)
  // Reports that came meanwhile have removed what no longer holds.
  const isStill = (id: string) => alertSignals.pending.get(row.id)?.has(id) === true
  const subjects = burst.flatMap(([id, { since }]): NewSubject[] => {
    const device = fleet.get(id)
    const detail = details.get(id)
    return device && detail !== undefined && isStill(id)
      ? [{ subject: id, deviceId: id, name: device.alias || device.name, since, detail }]
      : []
  })
  if (subjects.length > 0) {
    const prepared = await prepareAlert(app, rule, subjects)
    await (prepared && database.write(prepared))
  }
  const now = app.clock.monotonic()
  burst.forEach(([id, { isExtended, dueAt }]) => {
    if (!(isExtended && dueAt > now)) {
      alertSignals.pending.get(row.id)?.delete(id)
    }
  })
}

/** Opens alerts about what has lasted long enough. */
export async function openDue(app: App): Promise<void> {
  const { alertSignals, alertRules, clock } = app
  for (const [ruleId, pending] of alertSignals.pending) {
    const burst = burstOf(pending, clock.monotonic())
    const rule = alertRules.get(ruleId)
    if (burst.length > 0 && rule?.lasting && rule.row.isEnabled) {
      try {
        await openBurst(app, { ...rule, lasting: rule.lasting }, burst)
      } catch (error) {
        // The next call tries again; rules of other organizations do not wait for this one (T44).
        app.log.error({ err: error, ruleId }, 'An alert could not be opened; retrying.')
      }
    }
  }
}
