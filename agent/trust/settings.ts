import { readFileSync, renameSync, rmSync } from 'node:fs'
import { z } from 'zod'
import { id } from '../../shared/contract/fields.ts'
import { ReleaseKey } from '../../shared/agent-release.ts'
import { Pin } from '../../shared/server-identity.ts'
import { UserError } from '../base/errors.ts'
import { writeFileAtomically } from '../base/write-file.ts'
import { makePrivateFolder } from '../platform/folders.ts'
import { identityFrom } from './identity.ts'
import type { Paths } from '../base/paths.ts'

const isPrivateKey = (text: string) => {
  try {
    return identityFrom(text).privateKey === text
  } catch {
    return false
  }
}

/** Addresses from the server's last signed statement. */
const ServerAddresses = z.looseObject({
  Name: z.string(),
  /** Last address of the server, then the addresses in its statement. */
  Origins: z.array(z.string()),
  /** Pin of the key in the server's certificate, for any issuer. */
  ServerPin: Pin,
  IssuedAt: z.iso.datetime(),
  /** Expiry of the statement; missing if the server set no expiry. */
  ExpiresAt: z.iso.datetime().optional(),
})

/** Keys of telemetry. An unusable value never makes the settings unreadable. */
const key = z.string().optional().catch(undefined)
const telemetryKeys = {
  OTEL_EXPORTER_OTLP_ENDPOINT: key,
  OTLP_ENDPOINT_URL: key,
  AzureMonitor: z.looseObject({ ConnectionString: key }).optional().catch(undefined),
  'AzureMonitor:ConnectionString': key,
}

/** `appsettings.json` in the format of compatible agents; unknown members are preserved. */
const SettingsFile = z.looseObject({
  ...telemetryKeys,
  AppOptions: z.looseObject({
    DeviceId: id,
    PrivateKey: z.string().refine(isPrivateKey, 'must be base64 of 32 bytes'),
    ServerUri: z.url(),
    TenantId: id,
    /** Pin of the authority's key: the agent connects only to the server that has this key, at any address. */
    ServerIdentity: Pin.optional(),
    /** Authority's key itself, base64 of its SubjectPublicKeyInfo. */
    ServerIdentityKey: z.base64().max(1000).optional(),
    /** Requested again if missing or invalid. */
    ServerAddresses: ServerAddresses.optional().catch(undefined),
    /** Key that signs releases for this device; learned once from the server, then only through this key. */
    ReleaseKey: ReleaseKey.optional(),
    /** Newest build signed by the release key that this device has seen: downgrades are rejected. */
    ReleaseBuild: z.number().int().optional(),
    /** False from writing a new identity until the server has accepted its registration. */
    IsRegistered: z.boolean().default(true),
    /** Ports of VNC servers on this device, such as `5900-5909,5920`. */
    VncPorts: z
      .string()
      .regex(/^\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*$/, 'must be ports and ranges of ports, with commas')
      .optional(),
  }),
  Developer: z.looseObject({ DisableAutoUpdate: z.boolean().default(false) }).optional(),
  InstanceOptions: z.looseObject({ InstanceId: z.string().nullish() }).default({}),
})
export type Settings = z.output<typeof SettingsFile>
export type TelemetryKeys = Pick<Settings, keyof typeof telemetryKeys>

const advice = (file: string) =>
  `The file holds the identity of this device, so the agent does not replace it. Restore it from a backup, or delete ` +
  `${file} and install again with an installer key (-ki, -ks).`

function readText(file: string) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined
    }
    throw new UserError(
      `Cannot read the settings file: ${(error as Error).message}. Run this as the user who installed it.`,
    )
  }
}

/**
 * Loads the settings of this instance; undefined before the first installation. Throws `UserError` for a damaged file.
 */
export const loadSettings = ({ settingsFile }: Paths): Settings | undefined => load(settingsFile)

function load(settingsFile: string): Settings | undefined {
  const text = readText(settingsFile)
  if (text === undefined) {
    return undefined
  }
  let json: unknown
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw new UserError(`The settings file ${settingsFile} is damaged: it is not JSON. ${advice(settingsFile)}`)
  }
  const result = SettingsFile.safeParse(json)
  if (!result.success) {
    const problems = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
    throw new UserError(`The settings file ${settingsFile} is damaged: ${problems}. ${advice(settingsFile)}`)
  }
  return result.data
}

function save(folder: string, file: string, settings: Settings) {
  makePrivateFolder(folder)
  writeFileAtomically(file, `${JSON.stringify(settings, null, 2)}\n`)
}

export const saveSettings = ({ settingsFolder, settingsFile }: Paths, settings: Settings): void =>
  save(settingsFolder, settingsFile, settings)

/** Stores settings with a new key beside the current settings, before the key is sent to the server. */
export const savePending = ({ settingsFolder, pendingFile }: Paths, settings: Settings): void =>
  save(settingsFolder, pendingFile, settings)

/**
 * Loads settings whose key the server may or may not have accepted, because the response was lost. Returns only
 * settings of the same device and server as `settings`, otherwise undefined.
 */
export function loadPending({ pendingFile }: Paths, { AppOptions: wanted }: Settings): Settings | undefined {
  const pending = load(pendingFile)
  const isSame = pending?.AppOptions.DeviceId === wanted.DeviceId && pending.AppOptions.ServerUri === wanted.ServerUri
  return isSame ? pending : undefined
}

/**
 * Completes a key change once the server accepts this key: the pending settings replace the current settings, or are
 * deleted.
 */
export function settlePending(paths: Paths, privateKey: string): void {
  if (load(paths.pendingFile)?.AppOptions.PrivateKey === privateKey) {
    renameSync(paths.pendingFile, paths.settingsFile)
  } else {
    rmSync(paths.pendingFile, { force: true })
  }
}
