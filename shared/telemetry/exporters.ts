import {
  AzureMonitorLogExporter,
  AzureMonitorMetricExporter,
  AzureMonitorTraceExporter,
} from '@azure/monitor-opentelemetry-exporter'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-grpc'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-grpc'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import { convertLegacyOtlpGrpcOptions, createOtlpGrpcExportDelegate } from '@opentelemetry/otlp-grpc-exporter-base'
import { logs, metrics, tracing, type resources } from '@opentelemetry/sdk-node'
import { positive, withoutVendorStatistics, type Environment, type ExportSettings } from './config.ts'
import type { SpanBatch } from './light-spans.ts'
import { OtlpSpans } from './otlp-spans.ts'
import type { RequestDurations } from './request-durations.ts'
import { SpanQueue, type BatchExporter } from './span-queue.ts'

/** Processors and readers of one destination or more, for the SDK. */
export interface Pipelines {
  spanProcessors: tracing.SpanProcessor[]
  metricReaders: metrics.IMetricReader[]
  logRecordProcessors: logs.LogRecordProcessor[]
  /** Spans of requests, beside those of the SDK. */
  requests: SpanQueue[]
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
function watched<Items, E extends Exporter<Items>>(
  exporter: E,
  begin: () => ReturnType<NoteExport>,
  limitMs = longestExportMs,
): E {
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
    const timer = setTimeout(() => finish({ code: 1, error: new Error(`no answer in ${limitMs / 1000} s`) }), limitMs)
    timer.unref()
    send(items, finish)
  }
  return exporter
}

interface Exporters {
  trace: tracing.SpanExporter
  metric: metrics.PushMetricExporter
  log: logs.LogRecordExporter
  requests: BatchExporter
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
function azureExporters(connectionString: string, resource: resources.Resource): Exporters {
  const options = { connectionString, disableOfflineStorage: true, ...azureRequest }
  return withoutVendorStatistics(() => ({
    trace: new AzureMonitorTraceExporter(options),
    metric: new AzureMonitorMetricExporter(options),
    log: new AzureMonitorLogExporter(options),
    requests: readingBatches(new AzureMonitorTraceExporter(options), resource),
  }))
}

/** An exporter of the SDK as one of batches. */
const readingBatches = (exporter: tracing.SpanExporter, resource: resources.Resource): BatchExporter => ({
  export: (batch, done) => exporter.export(batch.readable(resource), done),
  shutdown: () => exporter.shutdown(),
})

/** Exporters for a collector, configured by the standard variables. */
function otlpExporters(url: string, resource: resources.Resource): Exporters {
  const encoder = new OtlpSpans(resource.attributes)
  return {
    trace: new OTLPTraceExporter({ url }),
    metric: new OTLPMetricExporter({ url }),
    log: new OTLPLogExporter({ url }),
    requests: createOtlpGrpcExportDelegate(
      convertLegacyOtlpGrpcOptions({ url }, 'TRACES'),
      { serializeRequest: (batch: SpanBatch) => encoder.request(batch), deserializeResponse: () => ({}) },
      'otlp_grpc_span_exporter',
      { name: 'span', countItems: ({ size }) => size },
      undefined,
      'TraceExportService',
      '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
    ),
  }
}

/** Address without credentials, for the log. */
const shown = (endpoint: string) => {
  const { protocol, host } = new URL(endpoint)
  return `${protocol}//${host}`
}

const usualSizes = { maxQueueSize: 2048, maxExportBatchSize: 512 }
/** Each export to a collector costs as much as some hundred spans, and a span in its queue is 64 bytes. */
const collectorSizes = { maxQueueSize: 16_384, maxExportBatchSize: 4096 }

/** Standard variables of a signal's batches. */
const batchOptions = (env: Environment, prefix: 'OTEL_BSP' | 'OTEL_BLRP', sizes = usualSizes) => ({
  maxQueueSize: positive(env, `${prefix}_MAX_QUEUE_SIZE`) ?? sizes.maxQueueSize,
  maxExportBatchSize: positive(env, `${prefix}_MAX_EXPORT_BATCH_SIZE`) ?? sizes.maxExportBatchSize,
  scheduledDelayMillis: positive(env, `${prefix}_SCHEDULE_DELAY`) ?? (prefix === 'OTEL_BSP' ? 5_000 : 1_000),
  exportTimeoutMillis: positive(env, `${prefix}_EXPORT_TIMEOUT`) ?? 30_000,
})

function readerOptions(env: Environment) {
  const exportIntervalMillis = positive(env, 'OTEL_METRIC_EXPORT_INTERVAL') ?? 60_000
  const timeout = positive(env, 'OTEL_METRIC_EXPORT_TIMEOUT') ?? 30_000
  return { exportIntervalMillis, exportTimeoutMillis: Math.min(timeout, exportIntervalMillis) }
}

const temporalityOf = (exporter: metrics.PushMetricExporter) =>
  exporter.selectAggregationTemporality?.(metrics.InstrumentType.HISTOGRAM) ?? metrics.AggregationTemporality.CUMULATIVE

/** Bounded pipelines for both destinations; a destination without a key has none. */
export function createPipelines(
  settings: ExportSettings & { resource: resources.Resource; durations: RequestDurations },
  env: Environment,
  note: NoteExport,
): Pipelines {
  const spanBatches = batchOptions(env, 'OTEL_BSP')
  const logBatches = batchOptions(env, 'OTEL_BLRP')
  const { endpoint, connectionString, resource, durations } = settings
  const pipelines: Pipelines = { spanProcessors: [], metricReaders: [], logRecordProcessors: [], requests: [] }
  const add = (destination: string, { trace, metric, log, requests }: Exporters, sizes = usualSizes) => {
    const noteOf = (signal: string) => () => note(destination, signal)
    const limitMs = Math.min(longestExportMs, spanBatches.exportTimeoutMillis)
    const requestExporter = watched<SpanBatch, BatchExporter>(requests, noteOf('requests'), limitMs)
    pipelines.requests.push(new SpanQueue(requestExporter, batchOptions(env, 'OTEL_BSP', sizes)))
    pipelines.spanProcessors.push(new tracing.BatchSpanProcessor(watched(trace, noteOf('traces')), spanBatches))
    pipelines.metricReaders.push(
      new metrics.PeriodicExportingMetricReader({
        exporter: watched(metric, noteOf('metrics')),
        metricProducers: [durations.producer(temporalityOf(metric))],
        ...readerOptions(env),
      }),
    )
    pipelines.logRecordProcessors.push(
      new logs.BatchLogRecordProcessor({ exporter: watched(log, noteOf('logs')), ...logBatches }),
    )
  }

  if (endpoint !== undefined) {
    add(shown(endpoint), otlpExporters(endpoint, resource), collectorSizes)
  }
  if (connectionString !== undefined) {
    add('Azure Monitor', azureExporters(connectionString, resource))
  }
  return pipelines
}
