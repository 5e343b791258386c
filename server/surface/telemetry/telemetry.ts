import { SpanKind, type Span } from '@opentelemetry/api'
import { startSdk } from '../../../shared/telemetry/sdk.ts'
import type { Environment, ExportSettings } from '../../../shared/telemetry/config.ts'
import { inSpan } from '../../../shared/telemetry/spans.ts'
import type { App } from '../../call/call.ts'
import type { WriteObserver } from '../../engines/database/database.ts'
import type { RootLog } from '../../ground/log.ts'
import { callObserver, type CallObserver } from './calls.ts'
import { logRecord } from './log-record.ts'
import { requestObserver, type RequestObserver } from './requests.ts'
import type { VisitObserver } from '../../remote/access-traces.ts'
import { visitObserver } from './visits.ts'
import { watchApp, type HubCounts } from './watch-app.ts'
import { WriteCounts } from './writes.ts'

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
  /** Runs the delivery of a mail to the mail server. */
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
