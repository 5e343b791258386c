import { SpanKind, type Span, context, trace } from '@opentelemetry/api'
import { startSdk } from '../../../shared/telemetry/sdk.ts'
import type { Environment, ExportSettings } from '../../../shared/telemetry/config.ts'
import { inSpan, tracer } from '../../../shared/telemetry/spans.ts'
import type { App } from '../../call/call.ts'
import type { WriteObserver } from '../../engines/database/database.ts'
import type { RootLog, LogLine } from '../../ground/log.ts'
import { callObserver, type CallObserver } from './calls.ts'
import { requestObserver, type RequestObserver } from './requests.ts'
import type { VisitObserver } from '../../remote/access-traces.ts'
import { watchApp, type HubCounts } from './watch-app.ts'
import { WriteCounts } from './writes.ts'
import { SeverityNumber, type LogRecord } from '@opentelemetry/api-logs'

const kindLabel = (kind: string | undefined) => (kind === undefined ? {} : { 'farhand.session.kind': kind })

/** A visit is the root of a trace; its steps and sessions are children. */
const visitObserver = (): VisitObserver<Span> => ({
  visit({ credential, name, id }, deviceId, kind) {
    const correlationId = credential.kind === 'LogonToken' ? credential.correlationId : undefined
    const attributes = {
      'user.name': name,
      'user.id': id,
      'device.id': deviceId,
      ...(correlationId && { 'session.correlation_id': correlationId }),
      ...kindLabel(kind),
    }
    return tracer().startSpan('remote_access_session', { root: true, attributes })
  },
  child: (parent, name, kind) =>
    tracer().startSpan(name, { attributes: kindLabel(kind) }, trace.setSpan(context.active(), parent)),
})

/** Severities by the levels of the logger, with the names of the configuration. */
const severities: Readonly<Record<number, readonly [SeverityNumber, string]>> = {
  10: [SeverityNumber.TRACE, 'Trace'],
  20: [SeverityNumber.DEBUG, 'Debug'],
  30: [SeverityNumber.INFO, 'Information'],
  40: [SeverityNumber.WARN, 'Warning'],
  50: [SeverityNumber.ERROR, 'Error'],
  60: [SeverityNumber.FATAL, 'Critical'],
}

/** A written line as a record: secrets are redacted already. The trace is that of the active request. */
function logRecord({ level, time, msg = '', err, ...fields }: LogLine): LogRecord {
  const [severityNumber, severityText] = severities[level] ?? [SeverityNumber.UNSPECIFIED, '']
  return {
    severityNumber,
    severityText,
    timestamp: new Date(time),
    body: msg,
    attributes: {
      ...(fields as LogRecord['attributes']),
      ...(err && {
        'exception.type': err.type ?? 'Error',
        'exception.message': err.message ?? '',
        'exception.stacktrace': err.stack ?? '',
      }),
    },
  }
}

interface Settings extends ExportSettings {
  isScraped: boolean
  env: Environment
}

/** Hooks for the engines, which know nothing of OpenTelemetry. */
export interface Telemetry {
  readonly requests: RequestObserver
  readonly calls: CallObserver
  readonly writes: WriteObserver
  readonly visits: VisitObserver<Span>
  mail<T>(host: string, port: number, deliver: () => Promise<T>): Promise<T>
  /** Starts the metrics of the product. */
  watch(app: App, hubs: HubCounts): void
  /** All metrics in the text format of Prometheus. */
  metricsText(): Promise<string>
  /** Sends what is queued, for at most `limitMs`. */
  stop(limitMs: number): Promise<void>
}

export interface TelemetryDependencies {
  log: RootLog
  version: string
}

export function createTelemetry(settings: Settings, { log, version }: TelemetryDependencies): Telemetry {
  const sdk = startSdk({ ...settings, serviceName: 'service', version, log })
  const writes = new WriteCounts()
  const unfollow = log.follow?.((line) => sdk.emit(logRecord(line)))
  return {
    requests: requestObserver(),
    calls: callObserver,
    writes,
    visits: visitObserver(),
    mail: (host, port, deliver) =>
      inSpan(
        'smtp send',
        { kind: SpanKind.CLIENT, attributes: { 'server.address': host, 'server.port': port } },
        deliver,
      ),
    watch: (app, hubs) => watchApp(app, hubs, writes),
    metricsText: () => sdk.metricsText(),
    async stop(limitMs) {
      unfollow?.()
      await sdk.stop(limitMs)
    },
  }
}
