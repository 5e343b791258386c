import { homedir } from 'node:os'
import { secretVariable } from '../../shared/install-command.ts'

export const isRoot = process.getuid?.() === 0

/** Environment variables for the folder rules and the service definitions. */
export const environment = {
  home: homedir(),
  programData: process.env['ProgramData'] ?? 'C:\\ProgramData',
  programFiles: process.env['ProgramFiles'] ?? 'C:\\Program Files',
  windows: process.env['SystemRoot'] ?? 'C:\\Windows',
  variables: (): Variables => ({ ...process.env }),
}

export type Variables = Readonly<Record<string, string | undefined>>

/** Removes what gives access to collectors, so that terminals and other child processes do not inherit it. */
export function forgetTelemetrySecrets(): void {
  for (const name of Object.keys(process.env)) {
    if (/^(OTEL_EXPORTER_OTLP(_\w+)?_HEADERS|AzureMonitor__ConnectionString)$/i.test(name)) {
      delete process.env[name]
    }
  }
}

/** Reads the installer key's secret and removes it from the environment, so that child processes do not inherit it. */
export function takeEnvironmentSecret(): string | undefined {
  const secret = process.env[secretVariable]
  delete process.env[secretVariable]
  return secret === '' ? undefined : secret
}

export const withEnvironment = (variables: Record<string, string>) => ({ ...process.env, ...variables })

/** Display of this process, and the socket of its Wayland compositor. */
export const ownDesktop = {
  display: process.env['DISPLAY'],
  authorityFile: process.env['XAUTHORITY'],
  waylandSocket: process.env['WAYLAND_DISPLAY'],
  bus: process.env['DBUS_SESSION_BUS_ADDRESS'],
}

/** Program folders that only root can write to. */
export const programFolders = ['/usr/local/bin', '/usr/bin', '/bin', '/snap/bin']

/**
 * Environment of a desktop's process, plus the desktop's own variables. Excludes the agent's variables except for
 * additional CA certificates, because the process connects to the relay.
 */
export function desktopEnvironment(variables: Record<string, string>): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => /^(LANG|LC_\w+|TZ|NODE_EXTRA_CA_CERTS)$/.test(name))
  return { ...(Object.fromEntries(kept) as Record<string, string>), PATH: programFolders.join(':'), ...variables }
}

/** Variables of this process whose names match. */
export const inheritedEnvironment = (names: RegExp): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && names.test(entry[0]),
    ),
  )
