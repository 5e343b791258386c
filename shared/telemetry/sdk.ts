import { context, metrics as metricsApi, propagation, trace } from '@opentelemetry/api'
import { logs as logsApi, type LogRecord } from '@opentelemetry/api-logs'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { NodeSDK, core, resources, type metrics } from '@opentelemetry/sdk-node'
import { createPipelines } from './exporters.ts'
import type { Environment, ExportSettings } from './config.ts'
import { scopeName } from './instruments.ts'
import { Outages, type OutageLog } from './outage.ts'
import { watchOutbound } from './outbound.ts'
import { watchRuntime } from './runtime.ts'

export interface SdkOptions extends ExportSettings {
  /** `service` or `service-agent`. */
  serviceName: string
  version: string
  /** Id of the device; agents only. */
  hostId?: string
  /** Whether `metricsText` is wanted. */
  isScraped: boolean
  env: Environment
  log: OutageLog
}

export interface Sdk {
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

/**
 * Starts the SDK and registers it as the global one of this process, of which there is one at a time. It reads the
 * standard variables for samplers and limits.
 */
export function startSdk(options: SdkOptions): Sdk {
  const { env, isScraped, log } = options
  const outages = new Outages(log, () => performance.now())
  const { metricReaders, ...pipelines } = createPipelines(options, env, outages)
  const prometheus = isScraped ? new PrometheusExporter({ preventServerStart: true }) : undefined
  const readers = [...metricReaders, ...(prometheus ? [prometheus] : [])]
  const sdk = new NodeSDK({
    resource: resourceOf(options),
    autoDetectResources: false,
    ...pipelines,
    metricReaders: readers,
    // Baggage of callers is not passed on to other servers, unless it is asked for.
    ...(env['OTEL_PROPAGATORS'] === undefined && { textMapPropagator: new core.W3CTraceContextPropagator() }),
  })
  // Failed exports are logged as outages; the SDK would print each of them.
  core.setGlobalErrorHandler(() => {})
  sdk.start()
  const logger = logsApi.getLogger(scopeName)
  const serializer = new PrometheusSerializer()
  const watches = [watchOutbound(), watchRuntime()]
  return {
    emit: (record) => logger.emit(record),
    async metricsText() {
      const { resourceMetrics } = await prometheus!.collect()
      return serializer.serialize(withUnits(resourceMetrics))
    },
    async stop(limitMs) {
      watches.forEach((stop) => stop())
      // Each by itself: the shutdown of the SDK stops waiting at the first destination that fails.
      const ends = [...pipelines.spanProcessors, ...pipelines.logRecordProcessors, ...readers]
      let timer: NodeJS.Timeout | undefined
      const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)))
      await Promise.race([Promise.allSettled(ends.map((each) => each.shutdown())), limit])
      clearTimeout(timer)
      for (const global of [trace, metricsApi, logsApi, propagation, context]) {
        global.disable()
      }
    },
  }
}
