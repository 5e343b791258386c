import { environment, type Config } from '../../settings/config.ts'
import { isScraped } from './endpoint.ts'
import type { Telemetry, TelemetryDependencies } from './telemetry.ts'

/**
 * Starts the export of telemetry if a key asks for it. Loads OpenTelemetry only then: its packages take a fifth of a
 * second and 40 MB.
 */
export async function startTelemetry(config: Config, deps: TelemetryDependencies): Promise<Telemetry | undefined> {
  const endpoint = config.otelExporterOtlpEndpoint ?? config.otlpEndpointUrl
  const { connectionString } = config.azureMonitor
  const isRead = isScraped(config.metrics)
  if (endpoint === undefined && connectionString === undefined && !isRead) {
    return undefined
  }
  const { createTelemetry } = await import('./telemetry.ts')
  try {
    return createTelemetry({ endpoint, connectionString, isScraped: isRead, env: environment() }, deps)
  } catch (error) {
    // A standard variable may hold anything: the server serves without its telemetry.
    deps.log.warn({ err: error }, 'No telemetry is exported: it could not be started. Check the OTEL_ variables.')
    return undefined
  }
}
