import {
  AzureMonitorLogExporter,
  AzureMonitorMetricExporter,
  AzureMonitorTraceExporter,
  type AzureMonitorExporterOptions,
} from '@azure/monitor-opentelemetry-exporter'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-grpc'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-grpc'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import { core, logs, metrics, tracing } from '@opentelemetry/sdk-node'
import { positive, turnOffVendorStatistics, type Environment, type ExportSettings } from './config.ts'
import type { Outages } from './outage.ts'

/** Processors and readers of one destination or more, for the SDK. */
export interface Pipelines {
  spanProcessors: tracing.SpanProcessor[]
  metricReaders: metrics.IMetricReader[]
  logRecordProcessors: logs.LogRecordProcessor[]
}

interface Exporter<Items> {
  export(items: Items, done: (result: core.ExportResult) => void): void
}

const sentence = (error: Error | undefined) => (error?.message ?? 'it does not answer').split('\n')[0]!.slice(0, 200)

/** Notes the result of every export. */
function watched<Items, E extends Exporter<Items>>(exporter: E, begin: () => ReturnType<Outages['begin']>): E {
  const send = exporter.export.bind(exporter)
  exporter.export = (items: Items, done: (result: core.ExportResult) => void) => {
    const note = begin()
    send(items, (result) => {
      note(result.code === core.ExportResultCode.SUCCESS ? undefined : sentence(result.error))
      done(result)
    })
  }
  return exporter
}

interface Exporters {
  trace: tracing.SpanExporter
  metric: metrics.PushMetricExporter
  log: logs.LogRecordExporter
}

const requestTimeoutMs = 10_000

/**
 * Exporters for Azure Monitor. They never store on disk, because what is exported may name people. A request ends after
 * 10 s and is not retried: the next export follows anyway.
 */
function azureExporters(connectionString: string): Exporters {
  turnOffVendorStatistics()
  const options: AzureMonitorExporterOptions = {
    connectionString,
    disableOfflineStorage: true,
    retryOptions: { maxRetries: 0 },
    additionalPolicies: [
      {
        position: 'perCall',
        policy: {
          name: 'farhandTimeout',
          sendRequest(request, next) {
            request.timeout = requestTimeoutMs
            return next(request)
          },
        },
      },
    ],
  }
  return {
    trace: new AzureMonitorTraceExporter(options),
    metric: new AzureMonitorMetricExporter(options),
    log: new AzureMonitorLogExporter(options),
  }
}

/** Exporters for a collector, configured by the standard variables. */
const otlpExporters = (url: string): Exporters => ({
  trace: new OTLPTraceExporter({ url }),
  metric: new OTLPMetricExporter({ url }),
  log: new OTLPLogExporter({ url }),
})

/** Address without credentials, for the log. */
const shown = (endpoint: string) => {
  const { protocol, host } = new URL(endpoint)
  return `${protocol}//${host}`
}

/** Standard variables of a signal's batches, with the defaults of the specification. */
const batchOptions = (env: Environment, prefix: 'OTEL_BSP' | 'OTEL_BLRP') => ({
  maxQueueSize: positive(env, `${prefix}_MAX_QUEUE_SIZE`) ?? 2048,
  maxExportBatchSize: positive(env, `${prefix}_MAX_EXPORT_BATCH_SIZE`) ?? 512,
  scheduledDelayMillis: positive(env, `${prefix}_SCHEDULE_DELAY`) ?? (prefix === 'OTEL_BSP' ? 5_000 : 1_000),
  exportTimeoutMillis: positive(env, `${prefix}_EXPORT_TIMEOUT`) ?? 30_000,
})

function readerOptions(env: Environment) {
  const exportIntervalMillis = positive(env, 'OTEL_METRIC_EXPORT_INTERVAL') ?? 60_000
  const timeout = positive(env, 'OTEL_METRIC_EXPORT_TIMEOUT') ?? 30_000
  return { exportIntervalMillis, exportTimeoutMillis: Math.min(timeout, exportIntervalMillis) }
}

/** Bounded pipelines for both destinations; a destination without a key has none. */
export function createPipelines(
  { endpoint, connectionString }: ExportSettings,
  env: Environment,
  outages: Outages,
): Pipelines {
  const destinations: [string, Exporters][] = []
  if (endpoint !== undefined) {
    destinations.push([shown(endpoint), otlpExporters(endpoint)])
  }
  if (connectionString !== undefined) {
    destinations.push(['Azure Monitor', azureExporters(connectionString)])
  }
  const pipelines: Pipelines = { spanProcessors: [], metricReaders: [], logRecordProcessors: [] }
  for (const [destination, { trace, metric, log }] of destinations) {
    const noteOf = (signal: string) => () => outages.begin(destination, signal)
    pipelines.spanProcessors.push(
      new tracing.BatchSpanProcessor(watched(trace, noteOf('traces')), batchOptions(env, 'OTEL_BSP')),
    )
    pipelines.metricReaders.push(
      new metrics.PeriodicExportingMetricReader({
        exporter: watched(metric, noteOf('metrics')),
        ...readerOptions(env),
      }),
    )
    pipelines.logRecordProcessors.push(
      new logs.BatchLogRecordProcessor({ exporter: watched(log, noteOf('logs')), ...batchOptions(env, 'OTEL_BLRP') }),
    )
  }
  return pipelines
}
