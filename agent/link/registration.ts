import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { agentDevices, type RegisterDeviceRequestDto } from '../../shared/api/agent-devices.ts'
import { ProblemDetails } from '../../shared/contract/problem.ts'
import type { DeviceUpdateRequestDto } from '../../shared/dtos/device.ts'
import type { Options } from '../base/config.ts'
import { bestEffort } from '../base/best-effort.ts'
import { UserError } from '../base/errors.ts'
import { identityFrom, newIdentity } from '../base/identity.ts'
import { makePrivateFolder } from '../base/folders.ts'
import type { Paths } from '../base/paths.ts'
import type { ServerAccess } from '../trust/access.ts'
import { accessTo } from '../trust/access-to.ts'
import { chooseBinding, type Binding } from '../trust/binding.ts'
import { loadPending, loadSettings, savePending, saveSettings, settlePending, type Settings } from '../base/settings.ts'

const requestTimeoutMs = 100_000
/** Somebody waits for the answer: the whole network is asked where the server is. */
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

async function post(access: ServerAccess, body: z.input<typeof RegisterDeviceRequestDto>) {
  const response = await send(access, body)
  if (response.ok) {
    await response.body?.cancel()
    return
  }
  const problem = ProblemDetails.safeParse(await response.json().catch(() => undefined)).data
  const said = problem?.detail ? ` It said: ${problem.detail}` : ''
  throw new UserError(
    `${access.origin} refused the registration with status ${response.status}.${said} ${refusals[response.status] ?? ''}`.trim(),
  )
}

/** What the options ask for, joined with what is known; a device that has none gets an id and a key. */
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

const withBinding = (
  settings: Settings,
  { ServerIdentity, ServerIdentityKey, ServerAddresses, ReleaseKey, ReleaseBuild }: Binding,
): Settings => ({
  ...settings,
  AppOptions: { ...settings.AppOptions, ServerIdentity, ServerIdentityKey, ServerAddresses, ReleaseKey, ReleaseBuild },
})

export type Describe = (settings: Settings) => Promise<DeviceUpdateRequestDto>

/**
 * Settings to run with: those on disk, joined with what the options say, registered when an installer key is given and
 * `always` or the device is not registered yet. Registering gives the device a new key, which takes the place of the one
 * that it has when the server has taken it: a refusal, or an end of this process at any moment, leaves the device as it
 * was. Throws `UserError` with the server's answer.
 */
export async function ensureRegistered(
  paths: Paths,
  options: Options,
  describe: Describe,
  { always, say }: { always: boolean; say: (sentence: string) => void },
): Promise<Settings> {
  makePrivateFolder(paths.settingsFolder)
  const existing = loadSettings(paths)
  const wanted = joined(options, existing)
  const { installerKeyId, installerKeySecret, deviceTags, customer } = options
  const isRegistering = installerKeyId !== undefined && (always || !wanted.AppOptions.IsRegistered)
  const binding = await chooseBinding(options, existing?.AppOptions, { isRegistering, say })
  const settings = withBinding(wanted, binding)
  if (!existing || !installerKeyId) {
    const save = () => saveSettings(paths, settings)
    if (!existing || always) {
      // Should the answer get lost, the next attempt registers this same device instead of a second one.
      save()
    } else {
      bestEffort(save)
    }
  }
  if (!isRegistering || !installerKeySecret) {
    return settings
  }
  // A key whose fate is unknown is offered again: a third one could leave the device with none that the server has.
  const privateKey = loadPending(paths, settings)?.AppOptions.PrivateKey ?? newIdentity().privateKey
  const registered = withKey(settings, privateKey)
  savePending(paths, registered)
  await post(accessTo(paths, settings), {
    device: await describe(settings),
    installerKeyId,
    installerKeySecret,
    publicKey: identityFrom(privateKey).publicKey,
    tagIds: deviceTags ?? null,
    customerId: customer ?? null,
  })
  saveSettings(paths, registered)
  settlePending(paths, privateKey)
  return registered
}
