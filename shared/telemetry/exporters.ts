import {
  AzureMonitorLogExporter,
  AzureMonitorMetricExporter,
  AzureMonitorTraceExporter,
} from '@azure/monitor-opentelemetry-exporter'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-grpc'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-grpc'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import { logs, metrics, tracing } from '@opentelemetry/sdk-node'
import { positive, withoutVendorStatistics, type Environment, type ExportSettings } from './config.ts'

/** Processors and readers of one destination or more, for the SDK. */
export interface Pipelines {
  spanProcessors: tracing.SpanProcessor[]
  metricReaders: metrics.IMetricReader[]
  logRecordProcessors: logs.LogRecordProcessor[]
}

/** Called as an export begins. The returned function takes its result: the problem, or undefined for a success. */
export type NoteExport = (destination: string, signal: string) => (problem: string | undefined) => void

interface ExportResult {
  code: number
  error?: Error
}
interface Exporter<Items> {
  export(items: Items, done: (result: ExportResult) => void): void
}

/** A destination that never answers counts as failed after this time, longer than the exporters' own limit of 10 s. */
const longestExportMs = 15_000

const sentence = (error: Error | undefined) => (error?.message ?? 'it does not answer').split('\n')[0]!.slice(0, 200)

/** Notes the result of every export. An export that never ends is given up, so that the next one can begin. */
function watched<Items, E extends Exporter<Items>>(exporter: E, begin: () => ReturnType<NoteExport>): E {
  const send = exporter.export.bind(exporter)
  exporter.export = (items: Items, done: (result: ExportResult) => void) => {
    const note = begin()
    let isDone = false
    const finish = (result: ExportResult) => {
      if (!isDone) {
        isDone = true
        clearTimeout(timer)
        note(result.code === 0 ? undefined : sentence(result.error))
        done(result)
      }
    }
    const timer = setTimeout(() => finish({ code: 1, error: new Error('no answer in 15 s') }), longestExportMs)
    timer.unref()
    send(items, finish)
  }
  return exporter
}

interface Exporters {
  trace: tracing.SpanExporter
  metric: metrics.PushMetricExporter
  log: logs.LogRecordExporter
}

const requestTimeoutMs = 10_000

/** A request to the cloud ends after 10 s, and is not repeated by the client: the next export follows anyway. */
const azureRequest = {
  retryOptions: { maxRetries: 0 },
  additionalPolicies: [
    {
      position: 'perCall' as const,
      policy: {
        name: 'farhandTimeout',
        sendRequest<Request extends { timeout: number }, Answer>(
          request: Request,
          next: (request: Request) => Promise<Answer>,
        ): Promise<Answer> {
          request.timeout = requestTimeoutMs
          return next(request)
        },
      },
    },
  ],
}

/** Exporters for Azure Monitor. They never store on disk, because what is exported may name people. */
function azureExporters(connectionString: string): Exporters {
  const options = { connectionString, disableOfflineStorage: true, ...azureRequest }
  return withoutVendorStatistics(() => ({
    trace: new AzureMonitorTraceExporter(options),
    metric: new AzureMonitorMetricExporter(options),
    log: new AzureMonitorLogExporter(options),
  }))
}

/** Address without credentials, for the log. */
const shown = (endpoint: string) => {
  const { protocol, host } = new URL(endpoint)
  return `${protocol}//${host}`
}

/** Standard variables of a signal's batches. */
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
export function createPipelines(settings: ExportSettings, env: Environment, note: NoteExport): Pipelines {
  const pipelines: Pipelines = { spanProcessors: [], metricReaders: [], logRecordProcessors: [] }
  const add = (destination: string, { trace, metric, log }: Exporters) => {
    const noteOf = (signal: string) => () => note(destination, signal)
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
  if (settings.endpoint !== undefined) {
    const url = settings.endpoint
    add(shown(url), {
      trace: new OTLPTraceExporter({ url }),
      metric: new OTLPMetricExporter({ url }),
      log: new OTLPLogExporter({ url }),
    })
  }
  if (settings.connectionString !== undefined) {
    add('Azure Monitor', azureExporters(settings.connectionString))
  }
  return pipelines
}
