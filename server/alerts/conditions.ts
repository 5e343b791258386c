import { minuteMs } from '../../shared/durations.ts'
import type { AlertCondition, AlertKind } from '../../shared/dtos/alert-rule.ts'
import { isOutdated, type DeviceState } from '../fleet/device-state.ts'
import { share } from '../fleet/search-filters.ts'

/** Whether a condition holds for a device; undefined if the present state does not say. */
export type DeviceTest = (device: DeviceState, offeredVersion: string | undefined) => boolean | undefined

interface Lasting {
  test: DeviceTest
  /** Time for which the condition holds before an alert is opened. */
  delayMs: number
  /** Time for which it does not hold before a device counts as recovered: damps flapping. */
  holdMs: number
  /** The value, for people. */
  detailOf?: (device: DeviceState) => string
}

const values = {
  'device-disk': ({ usedStorage, totalStorage }: DeviceState) => share(usedStorage, totalStorage),
  'device-memory': ({ usedMemory, totalMemory }: DeviceState) => share(usedMemory, totalMemory),
  'device-load': ({ cpuUtilization }: DeviceState) => cpuUtilization,
}
const isOnline = ({ connectionId }: DeviceState) => connectionId !== ''
const percentOf = (value: number) => `${Math.round(value * 100)}%`

const longestHoldMs = 5 * minuteMs
const offlineHoldMs = 30_000

/** Conditions that each report of a device may begin or end. Called for each heartbeat: they read memory alone. */
const lasting: { [Kind in AlertKind]?: (condition: Extract<AlertCondition, { kind: Kind }>) => Lasting } = {
  'device-offline': ({ minutes }) => ({
    test: (device) => !isOnline(device),
    delayMs: minutes * minuteMs,
    holdMs: offlineHoldMs,
  }),
  'device-disk': above,
  'device-memory': above,
  'device-load': above,
  'device-agent-behind': ({ minutes }) => ({
    test: (device, offered) => (isOnline(device) ? isOutdated(device.agentVersion, offered) : undefined),
    delayMs: minutes * minuteMs,
    holdMs: 0,
    detailOf: ({ agentVersion }) => `Version ${agentVersion}`,
  }),
}

function above({ kind, percent, minutes }: Extract<AlertCondition, { percent: number }>): Lasting {
  const valueOf = values[kind]
  const delayMs = minutes * minuteMs
  return {
    test: (device) => (isOnline(device) ? valueOf(device) * 100 > percent : undefined),
    delayMs,
    holdMs: Math.min(delayMs, longestHoldMs),
    detailOf: (device) => percentOf(valueOf(device)),
  }
}

/** Compiles a condition that lasts and that reports decide; undefined for the others. */
export const compileCondition = (condition: AlertCondition): Lasting | undefined =>
  (lasting[condition.kind] as ((of: AlertCondition) => Lasting) | undefined)?.(condition)
