import { context, metrics as metricsApi, propagation, trace } from '@opentelemetry/api'
import { logs as logsApi, type LogRecord } from '@opentelemetry/api-logs'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { NodeSDK, core, metrics, resources } from '@opentelemetry/sdk-node'
import { createPipelines, type NoteExport } from './exporters.ts'
import type { Environment, ExportSettings } from './config.ts'
import type { LightSpan, SpanShape } from './light-spans.ts'
import { RequestDurations } from './request-durations.ts'
import { samplingOf, type Sampling } from './sampling.ts'

export interface SdkOptions extends ExportSettings {
  /** `service` or `service-agent`. */
  serviceName: string
  version: string
  /** Id of the device; agents only. */
  hostId?: string
  /** Whether `metricsText` is wanted. */
  isScraped: boolean
  env: Environment
  noteExport: NoteExport
}

export interface Sdk {
  readonly sampling: Sampling
  readonly durations: RequestDurations
  /** Exports an ended span of a request; times in ms since 1970. */
  exportRequest(shape: SpanShape, span: LightSpan, startedAt: number, endedAt: number): void
  emit(record: LogRecord): void
  /** All metrics in the text format of Prometheus. */
  metricsText(): Promise<string>
  /** Sends what is queued, for at most so long, and unregisters everything. */
  stop(limitMs: number): Promise<void>
}

/** The names that the interface fixes win over `OTEL_RESOURCE_ATTRIBUTES`. Command line and host are not detected. */
const resourceOf = ({ serviceName, version, hostId }: SdkOptions) =>
  resources
    .defaultResource()
    .merge(resources.detectResources({ detectors: [resources.envDetector] }))
    .merge(
      resources.resourceFromAttributes({
        'service.name': serviceName,
        'service.namespace': 'service',
        'service.version': version,
        'service.instance.id': crypto.randomUUID(),
        ...(hostId !== undefined && { 'host.id': hostId }),
      }),
    )

/** Words that end the names of Prometheus, by unit; a count in braces has none. */
const unitWords: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes', '1': 'ratio' }

/** Adds the unit to each name, as Prometheus asks for; the serializer adds only `_total`. */
const withUnits = (all: metrics.ResourceMetrics): metrics.ResourceMetrics => ({
  ...all,
  scopeMetrics: all.scopeMetrics.map((scope) => ({
    ...scope,
    metrics: scope.metrics.map((metric) => {
      const { name, unit } = metric.descriptor
      const word = unitWords[unit]
      return word === undefined ? metric : { ...metric, descriptor: { ...metric.descriptor, name: `${name}.${word}` } }
    }),
  })),
})

/** Starts the SDK and registers it as the global one of this process, of which there is one at a time. */
export function startSdk(options: SdkOptions): Sdk {
  const { env, isScraped } = options
  const resource = resourceOf(options)
  const sampling = samplingOf(env)
  const durations = new RequestDurations()
  const { requests, ...pipelines } = createPipelines({ ...options, resource, durations }, env, options.noteExport)
  const prometheus = isScraped
    ? new PrometheusExporter({
        preventServerStart: true,
        metricProducers: [durations.producer(metrics.AggregationTemporality.CUMULATIVE)],
      })
    : undefined
  const sdk = new NodeSDK({
    resource,
    sampler: sampling.sampler,
    autoDetectResources: false,
    ...pipelines,
    metricReaders: [...pipelines.metricReaders, ...(prometheus ? [prometheus] : [])],
    // Baggage of callers is not passed on to other servers, unless it is asked for.
    ...(env['OTEL_PROPAGATORS'] === undefined && { textMapPropagator: new core.W3CTraceContextPropagator() }),
  })
  // Failed exports are noted by `noteExport`; the SDK would print each of them.
  core.setGlobalErrorHandler(() => {})
  sdk.start()
  const logger = logsApi.getLogger('Service.Web.Server')
  const serializer = new PrometheusSerializer()
  return {
    sampling,
    durations,
    exportRequest(shape, span, startedAt, endedAt) {
      for (const queue of requests) {
        queue.add(shape, span, startedAt, endedAt)
      }
    },
    emit: (record) => logger.emit(record),
    async metricsText() {
      const { resourceMetrics } = await prometheus!.collect()
      return serializer.serialize(withUnits(resourceMetrics))
    },
    async stop(limitMs) {
      let timer: NodeJS.Timeout | undefined
      const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)))
      await Promise.race([Promise.allSettled([sdk.shutdown(), ...requests.map((queue) => queue.stop())]), limit])
      clearTimeout(timer)
      for (const global of [trace, metricsApi, logsApi, propagation, context]) {
        global.disable()
      }
    },
  }
}
