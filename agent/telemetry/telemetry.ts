import { SpanKind, ROOT_CONTEXT } from '@opentelemetry/api'
import { SeverityNumber } from '@opentelemetry/api-logs'
import { startSdk } from '../../shared/telemetry/sdk.ts'
import type { Environment, ExportSettings } from '../../shared/telemetry/config.ts'
import { inSpan } from '../../shared/telemetry/spans.ts'
import type { LogEntry, RootLog } from '../base/log.ts'

export interface AgentTelemetry {
  /** Returns the handlers, each call of which is a span. */
  traced<Handlers extends object>(handlers: Handlers): Handlers
  /** Sends what is queued, for at most so long. */
  stop(limitMs: number): Promise<void>
}

const severities = {
  info: [SeverityNumber.INFO, 'Information'],
  warn: [SeverityNumber.WARN, 'Warning'],
  error: [SeverityNumber.ERROR, 'Error'],
} as const

function recordOf({ level, fields, message }: LogEntry) {
  const [severityNumber, severityText] = severities[level]
  const attributes = Object.entries(fields).map(([name, value]: [string, unknown]) =>
    value instanceof Error ? ['exception.message', value.message] : [name, value],
  )
  return { severityNumber, severityText, body: message, attributes: Object.fromEntries(attributes) }
}

type Handler = (...args: unknown[]) => unknown

const traced = (name: string, handler: Handler): Handler => {
  const attributes = { 'rpc.system': 'signalr', 'rpc.service': 'AgentHub', 'rpc.method': name }
  return (...args) =>
    inSpan(`AgentHub/${name}`, { kind: SpanKind.SERVER, attributes, parent: ROOT_CONTEXT }, async () =>
      handler(...args),
    )
}

export interface TelemetryDependencies {
  log: RootLog
  version: string
  deviceId: string
}

export function createTelemetry(
  settings: ExportSettings & { env: Environment },
  { log, version, deviceId }: TelemetryDependencies,
): AgentTelemetry {
  const sdk = startSdk({ ...settings, serviceName: 'service-agent', version, hostId: deviceId, isScraped: false, log })
  const unfollow = log.follow((entry) => sdk.emit(recordOf(entry)))
  return {
    traced: (handlers) =>
      Object.fromEntries(
        Object.entries(handlers).map(([name, handler]) => [name, traced(name, handler as Handler)]),
      ) as typeof handlers,
    async stop(limitMs) {
      unfollow()
      await sdk.stop(limitMs)
    },
  }
}
