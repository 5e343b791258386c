import { ValueType } from '@opentelemetry/api'
import { core, metrics as sdk, resources } from '@opentelemetry/sdk-node'
import { metrics } from './declarations.ts'
import { scopeName, secondBoundaries, type Labels } from './instruments.ts'

/** A histogram since a time. */
class Buckets {
  readonly startTime = core.hrTime()
  readonly counts = Array.from({ length: secondBoundaries.length + 1 }, () => 0)
  count = 0
  sum = 0
  min = Infinity
  max = -Infinity

  record(seconds: number): void {
    let bucket = 0
    while (seconds > secondBoundaries[bucket]!) {
      bucket++
    }
    this.counts[bucket]! += 1
    this.count += 1
    this.sum += seconds
    this.min = Math.min(this.min, seconds)
    this.max = Math.max(this.max, seconds)
  }
}

/** Durations of requests with the same attributes. */
export interface DurationSeries {
  record(seconds: number): void
}

const { unit, description } = metrics['http.server.request.duration']
const descriptor = { name: 'http.server.request.duration', unit, description, valueType: ValueType.DOUBLE }

/**
 * `http.server.request.duration`, whose sets of attributes are known before they are recorded. An instrument of the SDK
 * sorts and prints the attributes of every record, which costs more than the span of the request.
 */
export class RequestDurations {
  readonly #attributes: Labels[] = []
  /** Histograms of each reader, in the order of the attributes. */
  readonly #readers: Buckets[][] = []

  /** Serves a reader of metrics. All readers come before the first series. */
  producer(temporality: sdk.AggregationTemporality): sdk.MetricProducer {
    const series: Buckets[] = []
    this.#readers.push(series)
    const collect = () => {
      const endTime = core.hrTime()
      const dataPoints = series.map(({ startTime, counts, count, sum, min, max }, index) => ({
        startTime,
        endTime,
        attributes: this.#attributes[index]!,
        value: { buckets: { boundaries: secondBoundaries, counts: [...counts] }, count, sum, min, max },
      }))
      if (temporality === sdk.AggregationTemporality.DELTA) {
        series.forEach((_, index) => (series[index] = new Buckets()))
      }
      return dataPoints.filter(({ value }) => value.count > 0)
    }
    return {
      async collect() {
        const dataPoints = collect()
        const metric: sdk.HistogramMetricData = {
          descriptor,
          aggregationTemporality: temporality,
          dataPointType: sdk.DataPointType.HISTOGRAM,
          dataPoints,
        }
        const scopeMetrics = dataPoints.length > 0 ? [{ scope: { name: scopeName }, metrics: [metric] }] : []
        // The reader takes the resource of the SDK.
        return { resourceMetrics: { resource: resources.emptyResource(), scopeMetrics }, errors: [] }
      },
    }
  }

  /** Begins a series for attributes that have none. */
  series(attributes: Labels): DurationSeries {
    const index = this.#attributes.push(attributes) - 1
    this.#readers.forEach((series) => series.push(new Buckets()))
    return {
      record: (seconds) => {
        for (const series of this.#readers) {
          series[index]!.record(seconds)
        }
      },
    }
  }
}
