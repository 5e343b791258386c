import { endpointProblem, isConnectionString, type ExportSettings } from '../../shared/telemetry/config.ts'
import { environment, forgetTelemetrySecrets, type Variables } from '../base/environment.ts'
import type { TelemetryKeys } from '../trust/settings.ts'
import type { AgentTelemetry, TelemetryDependencies } from './telemetry.ts'

const given = (...values: (string | undefined)[]) => values.map((value) => value?.trim()).find((value) => value)

/**
 * Reads the keys of the environment and of the settings file; the environment wins. An invalid value is logged and
 * ignored: a device stays reachable, whatever happens to its telemetry.
 */
export function exportSettings(
  variables: Variables,
  file: TelemetryKeys,
  warn: (sentence: string) => void,
): ExportSettings {
  const name = 'OTEL_EXPORTER_OTLP_ENDPOINT'
  const endpoint = given(variables[name], file[name], variables['OTLP_ENDPOINT_URL'], file.OTLP_ENDPOINT_URL)
  const problem = endpoint === undefined ? undefined : endpointProblem(endpoint)
  if (problem !== undefined) {
    warn(`No telemetry is exported: ${name} ${problem}.`)
  }
  const connectionString = given(
    variables['AzureMonitor__ConnectionString'],
    file['AzureMonitor:ConnectionString'],
    file.AzureMonitor?.ConnectionString,
  )
  const isUsable = connectionString !== undefined && isConnectionString(connectionString)
  if (connectionString !== undefined && !isUsable) {
    warn('No telemetry is exported to Azure Monitor: AzureMonitor:ConnectionString is no connection string.')
  }
  return {
    endpoint: problem === undefined ? endpoint : undefined,
    connectionString: isUsable ? connectionString : undefined,
  }
}

/** Starts the export of telemetry if a key asks for it; OpenTelemetry is loaded only then. */
export async function startTelemetry(
  file: TelemetryKeys,
  deps: TelemetryDependencies,
): Promise<AgentTelemetry | undefined> {
  const env = environment.variables()
  const settings = exportSettings(env, file, (sentence) => deps.log.warn({}, sentence))
  if (settings.endpoint === undefined && settings.connectionString === undefined) {
    return undefined
  }
  const { createTelemetry } = await import('./telemetry.ts')
  try {
    return createTelemetry({ ...settings, env }, deps)
  } finally {
    forgetTelemetrySecrets()
  }
}
