import { dayMs, hourMs } from '../../shared/durations.ts'
import type { App } from '../call/call.ts'
import { byStep, levels, unknown, type DeviceHistory } from './device-history.ts'

export interface DiskForecast {
  /** Path of the disk; empty for the system drive of an agent that reports no drives. */
  disk: string
  /** Used share in the newest sample, 0 to 1. */
  used: number
  /** When the disk will be full, ms since 1970; null without a clear trend. */
  fullAt: number | null
}

const stepMs = byStep.hours * hourMs
/** Time whose samples decide about the trend. */
const fittedSteps = (28 * dayMs) / stepMs
/** Least time between the first and the last sample of a trend. */
const leastSteps = (7 * dayMs) / stepMs
/** Least number of samples of a trend, of a device that is rarely on. */
const leastSamples = 12
/** Growth below which a trend is noise. */
const leastGrowth = 0.02
/** Share of the variance that a line must explain. */
const leastFit = 0.5
/** A clean-up: the trend begins after it. */
const cleanUp = 0.05
/** A trend says nothing about a later time. */
const latestMs = 365 * dayMs

interface Point {
  step: number
  share: number
}

/** Line through points by least squares: growth per step, and the share of the variance that the line explains. */
function fit(points: readonly Point[]) {
  const mean = (of: (point: Point) => number) => points.reduce((sum, point) => sum + of(point), 0) / points.length
  const step = mean((point) => point.step)
  const share = mean((point) => point.share)
  const covariance = mean((point) => (point.step - step) * (point.share - share))
  const spread = mean((point) => (point.step - step) ** 2)
  const variance = mean((point) => (point.share - share) ** 2)
  return { slope: covariance / spread, explained: variance === 0 ? 0 : covariance ** 2 / (spread * variance) }
}

/** Steps until a disk is full; undefined without a clear trend. Points are in order. */
function stepsUntilFull(points: readonly Point[]): number | undefined {
  const start = points.findLastIndex(({ share }, index) => index > 0 && share < points[index - 1]!.share - cleanUp)
  const trend = points.slice(Math.max(0, start))
  const first = trend[0]
  const last = trend.at(-1)
  if (!first || !last || trend.length < leastSamples || last.step - first.step < leastSteps) {
    return undefined
  }
  const { slope, explained } = fit(trend)
  if (slope * (last.step - first.step) < leastGrowth || explained < leastFit) {
    return undefined
  }
  return Math.max(0, 1 - last.share) / slope
}

function forecast(history: DeviceHistory, disk: number, hour: number): DiskForecast | undefined {
  const samples = new Uint8Array(fittedSteps)
  history.copy({ disk }, byStep, hour, samples)
  const points = [...samples].flatMap((sample, step) => (sample === unknown ? [] : { step, share: sample / levels }))
  const last = points.at(-1)
  if (!last) {
    return undefined
  }
  // A device that was not there for a week says nothing about its disks.
  const steps = last.step < fittedSteps - leastSteps ? undefined : stepsUntilFull(points)
  const now = (Math.floor(hour / byStep.hours) + 1) * stepMs
  const at = steps === undefined ? undefined : now - (fittedSteps - 1 - last.step - steps) * stepMs
  return {
    disk: history.disks[disk]!,
    used: last.share,
    fullAt: at === undefined || at > now + latestMs ? null : Math.max(at, now),
  }
}

/** Disks of a device that had samples in the four weeks before the end of an hour, the last complete one unless given, each with the time when it will be full. */
export function diskForecasts(
  { histories }: Pick<App, 'histories'>,
  deviceId: string,
  hour = histories.hour,
): DiskForecast[] {
  const history = histories.get(deviceId)
  return history && hour !== undefined ? history.disks.flatMap((_, disk) => forecast(history, disk, hour) ?? []) : []
}
