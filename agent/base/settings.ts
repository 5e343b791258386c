import { readFileSync, renameSync, rmSync } from 'node:fs'
import { z } from 'zod'
import { id } from '../../shared/contract/fields.ts'
import { ReleaseKey } from '../../shared/agent-release.ts'
import { Pin } from '../../shared/server-identity.ts'
import { UserError } from './errors.ts'
import { writeFileAtomically } from './write-file.ts'
import { makePrivateFolder } from './folders.ts'
import { identityFrom } from './identity.ts'
import type { Paths } from './paths.ts'

const isPrivateKey = (text: string) => {
  try {
    return identityFrom(text).privateKey === text
  } catch {
    return false
  }
}

/** What the server last said of itself, under its signature. */
const ServerAddresses = z.looseObject({
  Name: z.string(),
  /** Where the server was last, then where it said that it is. */
  Origins: z.array(z.string()),
  /** Key of the certificate that it shows, whoever issued that. */
  ServerPin: Pin,
  IssuedAt: z.iso.datetime(),
  /** When that statement ends; missing where the server named no end. */
  ExpiresAt: z.iso.datetime().optional(),
})

/** `appsettings.json`, as other agents of this interface write it; members that we do not know are kept. */
const SettingsFile = z.looseObject({
  AppOptions: z.looseObject({
    DeviceId: id,
    PrivateKey: z.string().refine(isPrivateKey, 'must be base64 of 32 bytes'),
    ServerUri: z.url(),
    TenantId: id,
    /** Pin of the authority's key: this agent speaks to the server that holds it, wherever that is, and to no other. */
    ServerIdentity: Pin.optional(),
    /** That key itself, base64 of its SubjectPublicKeyInfo. */
    ServerIdentityKey: z.base64().max(1000).optional(),
    /** Lost, it is asked for again. */
    ServerAddresses: ServerAddresses.optional().catch(undefined),
    /** Signs the agents that this device may install; learned once from the server, then only from this key. */
    ReleaseKey: ReleaseKey.optional(),
    /** Newest build that this key signed and this device has seen: the device never goes back. */
    ReleaseBuild: z.number().int().optional(),
    /** False between writing a new identity and the server's answer to its registration. */
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

const advice = (file: string) =>
  `It holds the identity of this device, so it is not replaced by itself. Restore it from a backup, or delete ` +
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

/** The settings of this instance, or undefined before the first installation. Throws `UserError` for a damaged file. */
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

/** Keeps settings with a new key beside those that work, before the server hears of the key. */
export const savePending = ({ settingsFolder, pendingFile }: Paths, settings: Settings): void =>
  save(settingsFolder, pendingFile, settings)

/**
 * Settings whose key the server may have taken or not, because its answer never came: of the same device and server as
 * `settings`, undefined when there are none.
 */
export function loadPending({ pendingFile }: Paths, { AppOptions: wanted }: Settings): Settings | undefined {
  const pending = load(pendingFile)
  const isSame = pending?.AppOptions.DeviceId === wanted.DeviceId && pending.AppOptions.ServerUri === wanted.ServerUri
  return isSame ? pending : undefined
}

/** The server works with this key: what is kept beside it goes, or takes its place. */
export function settlePending(paths: Paths, privateKey: string): void {
  if (load(paths.pendingFile)?.AppOptions.PrivateKey === privateKey) {
    renameSync(paths.pendingFile, paths.settingsFile)
  } else {
    rmSync(paths.pendingFile, { force: true })
  }
}
