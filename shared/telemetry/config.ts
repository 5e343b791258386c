/** Keys of both programs, as their configuration read them. */
export interface ExportSettings {
  /** OTLP over gRPC. */
  endpoint: string | undefined
  /** Connection string of Azure Monitor. */
  connectionString: string | undefined
}

/** Explains why an address gets no telemetry; undefined for http and https. */
export function endpointProblem(address: string): string | undefined {
  const protocol = URL.canParse(address) ? new URL(address).protocol : ''
  return protocol === 'http:' || protocol === 'https:'
    ? undefined
    : 'must begin with http:// or https://, as in http://localhost:4317'
}

const instrumentationKey = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** True for an address that telemetry may be sent to with its key: plain http does not leave this machine. */
function isIngestion(text: string): boolean {
  const url = URL.parse(text.trim())
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '')
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)
}

/** True for a connection string that the exporter accepts. */
export function isConnectionString(text: string): boolean {
  const pairs = text.split(';').filter((pair) => pair.trim() !== '')
  const parts = new Map(pairs.map((pair) => pair.split('=') as [string, string]).map(([k, v]) => [k.toLowerCase(), v]))
  const ingestion = parts.get('ingestionendpoint')
  return (
    pairs.every((pair) => pair.split('=').length === 2) &&
    instrumentationKey.test(parts.get('instrumentationkey') ?? '') &&
    (ingestion === undefined || isIngestion(ingestion))
  )
}

/** Variables of the environment: read by the configuration, the only place that may. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A positive number of a standard variable; undefined if unset or invalid, as the specification asks. */
export function positive(env: Environment, name: string): number | undefined {
  const value = Number(env[name]?.trim() || Number.NaN)
  return Number.isFinite(value) && value > 0 ? value : undefined
}

/** The exporter for Azure would report its own use to Microsoft. It reads this variable as it is made. */
export function turnOffVendorStatistics(): void {
  process.env['APPLICATION_INSIGHTS_NO_STATSBEAT'] = 'true'
}
