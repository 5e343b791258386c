import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { z } from 'zod'
import { agentDevices, type RegisterDeviceRequestDto } from '../../shared/api/agent-devices.ts'
import { ProblemDetails } from '../../shared/contract/problem.ts'
import type { DeviceUpdateRequestDto } from '../../shared/dtos/device.ts'
import type { Options } from '../base/arguments.ts'
import { bestEffort } from '../base/best-effort.ts'
import { UserError } from '../base/errors.ts'
import { identityFrom, newIdentity } from '../trust/identity.ts'
import { firstMissing, makePrivateFolder, removeEmptyFolders } from '../platform/folders.ts'
import type { Paths } from '../base/paths.ts'
import type { ServerAccess } from '../trust/access.ts'
import { accessTo } from '../trust/access-to.ts'
import { chooseEnrollment, type Enrollment } from '../trust/enrollment.ts'
import {
  loadPending,
  loadSettings,
  savePending,
  saveSettings,
  settlePending,
  type Settings,
} from '../trust/settings.ts'

const requestTimeoutMs = 100_000
/** Number of the attempt that searches the network: at the command line a person waits for the result. */
const patientAttempt = 1

const refusedKey =
  'The installer key may be unknown, spent, expired, or of another tenant. Take a fresh install command from the ' +
  'Deploy page of the server.'

const refusals: Record<number, string> = {
  400: refusedKey,
  403: 'Whoever made the installer key may not install agents on this device.',
  404: 'Is this the address of a Farhand server?',
  429: 'Too many attempts: wait a minute and try again.',
}

async function send(access: ServerAccess, body: z.input<typeof RegisterDeviceRequestDto>): Promise<Response> {
  const { path, method } = agentDevices.routes.register
  const signal = AbortSignal.timeout(requestTimeoutMs)
  try {
    await access.locate(patientAttempt, signal)
    return await access.fetch(path, {
      method,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
      signal,
    })
  } catch (error) {
    throw new UserError(await access.explain(error))
  }
}

/** The server answered, and did not register the device. */
class RefusedRegistration extends UserError {}

async function post(access: ServerAccess, body: z.input<typeof RegisterDeviceRequestDto>) {
  const response = await send(access, body)
  if (response.ok) {
    await response.body?.cancel()
    return
  }
  const problem = ProblemDetails.safeParse(await response.json().catch(() => undefined)).data
  const said = problem?.detail ? ` It said: ${problem.detail}` : ''
  const text = `${access.origin} refused the registration with status ${response.status}.${said} ${refusals[response.status] ?? ''}`
  throw new (response.status < 500 ? RefusedRegistration : UserError)(text.trim())
}

/** Merges the options with known settings; creates id and key for a new device. */
function joined(options: Options, existing: Settings | undefined): Settings {
  const known = existing?.AppOptions
  const ServerUri = options.serverUri ?? known?.ServerUri
  const TenantId = options.tenantId ?? known?.TenantId
  if (!ServerUri || !TenantId) {
    throw new UserError('This device is not registered yet. Give the server address and tenant (-s, -t), see --help.')
  }
  const DeviceId = options.deviceId ?? known?.DeviceId ?? randomUUID()
  const isSame = known?.DeviceId === DeviceId && known.ServerUri === ServerUri
  return {
    ...existing,
    AppOptions: {
      ...known,
      DeviceId,
      PrivateKey: known?.PrivateKey ?? newIdentity().privateKey,
      ServerUri,
      TenantId,
      IsRegistered: isSame && known.IsRegistered,
    },
    InstanceOptions: { ...existing?.InstanceOptions, InstanceId: options.instanceId ?? null },
  }
}

const withKey = (settings: Settings, PrivateKey: string): Settings => ({
  ...settings,
  AppOptions: { ...settings.AppOptions, PrivateKey, IsRegistered: true },
})

const withEnrollment = (
  settings: Settings,
  { ServerIdentity, ServerIdentityKey, ServerAddresses, ReleaseKey, ReleaseBuild }: Enrollment,
): Settings => ({
  ...settings,
  AppOptions: { ...settings.AppOptions, ServerIdentity, ServerIdentityKey, ServerAddresses, ReleaseKey, ReleaseBuild },
})

/** Leaves nothing of a device that no server knows. */
function forget({ settingsFolder, settingsFile, pendingFile }: Paths, made: string | undefined) {
  rmSync(settingsFile, { force: true })
  rmSync(pendingFile, { force: true })
  if (made !== undefined) {
    removeEmptyFolders(settingsFolder, (folder) => folder === made)
  }
}

export type Describe = (settings: Settings) => Promise<DeviceUpdateRequestDto>

/**
 * Returns the settings to run with: settings on disk, merged with the options, and registered if an installer key is
 * given and `always` is set or the device is not registered yet. Registration creates a new key, which replaces the
 * current key once the server has accepted the new one: a rejection, or a crash at any time, leaves the device
 * unchanged. Throws `UserError` with the server's answer.
 */
export async function ensureRegistered(
  paths: Paths,
  options: Options,
  describe: Describe,
  { always, say }: { always: boolean; say: (sentence: string) => void },
): Promise<Settings> {
  const made = firstMissing(paths.settingsFolder)
  makePrivateFolder(paths.settingsFolder)
  const existing = loadSettings(paths)
  const wanted = joined(options, existing)
  const { installerKeyId, installerKeySecret, deviceTags, customer } = options
  const isRegistering = installerKeyId !== undefined && (always || !wanted.AppOptions.IsRegistered)
  const enrollment = await chooseEnrollment(options, existing?.AppOptions, { isRegistering, say })
  const settings = withEnrollment(wanted, enrollment)
  if (!existing || !installerKeyId) {
    const save = () => saveSettings(paths, settings)
    if (!existing || always) {
      // If the answer is lost, the next attempt registers this device again, not a second device.
      save()
    } else {
      bestEffort(save)
    }
  }
  if (!isRegistering || !installerKeySecret) {
    return settings
  }
  // Retry a key whose registration has an unknown result: a third key could leave the device without any key that the
  // server has.
  const privateKey = loadPending(paths, settings)?.AppOptions.PrivateKey ?? newIdentity().privateKey
  const registered = withKey(settings, privateKey)
  savePending(paths, registered)
  const body = {
    device: await describe(settings),
    installerKeyId,
    installerKeySecret,
    publicKey: identityFrom(privateKey).publicKey,
    tagIds: deviceTags ?? null,
    customerId: customer ?? null,
  }
  try {
    await post(accessTo(paths, settings), body)
  } catch (error) {
    if (error instanceof RefusedRegistration && !existing) {
      forget(paths, made)
    }
    throw error
  }
  saveSettings(paths, registered)
  settlePending(paths, privateKey)
  return registered
}
