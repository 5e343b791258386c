import {
  metrics as metricsApi,
  type Attributes,
  type Histogram,
  type Counter,
  type ObservableResult,
} from '@opentelemetry/api'
import { metrics, type AttributeName, type MetricName } from './declarations.ts'

/** Name of the instrumentation, fixed by the interface. */
export const scopeName = 'Service.Web.Server'

export type Labels = Partial<Record<AttributeName, string | number | boolean>>

type NamesOf<Type extends string> = {
  [Name in MetricName]: (typeof metrics)[Name]['type'] extends Type ? Name : never
}[MetricName]

/** Boundaries of the semantic conventions for durations in seconds. */
const secondBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

const meter = () => metricsApi.getMeter(scopeName)
const optionsOf = (name: MetricName) => ({ unit: metrics[name].unit, description: metrics[name].description })

/** Instruments exist only after the SDK has started: earlier ones record nothing for ever. */
export const histogram = (name: NamesOf<'histogram'>): Histogram<Attributes & Labels> =>
  meter().createHistogram(name, { ...optionsOf(name), advice: { explicitBucketBoundaries: secondBoundaries } })

export const counter = (name: NamesOf<'counter'>): Counter<Attributes & Labels> =>
  meter().createCounter(name, optionsOf(name))

/** Values of a gauge, read at each export. */
export function gauge(name: NamesOf<'gauge'>, read: () => Iterable<readonly [number, Labels]>): void {
  meter().createObservableGauge(name, optionsOf(name)).addCallback(observing(read))
}

/** Sums that something else counts, read at each export. */
export function observedCounter(name: NamesOf<'counter'>, read: () => Iterable<readonly [number, Labels]>): void {
  meter().createObservableCounter(name, optionsOf(name)).addCallback(observing(read))
}

const observing = (read: () => Iterable<readonly [number, Labels]>) => (result: ObservableResult) => {
  for (const [value, labels] of read()) {
    result.observe(value, labels as Attributes)
  }
}
