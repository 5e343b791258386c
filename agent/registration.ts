import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { agentDevices, type RegisterDeviceRequestDto } from '../shared/api/agent-devices.ts'
import { ProblemDetails } from '../shared/contract/problem.ts'
import type { DeviceUpdateRequestDto } from '../shared/dtos/device.ts'
import type { Options } from './config.ts'
import { explainFailure } from './explain.ts'
import { identityFrom, newIdentity } from './identity.ts'
import type { Paths } from './paths.ts'
import { loadSettings, saveSettings, UserError, type Settings } from './settings.ts'

const requestTimeoutMs = 100_000

const refusedKey =
  'The installer key may be unknown, spent, expired, or of another tenant. Take a fresh install command from the ' +
  'Deploy page of the server.'

const refusals: Record<number, string> = {
  400: refusedKey,
  403: 'Whoever made the installer key may not install agents on this device.',
  404: 'Is this the address of a Farhand server?',
  429: 'Too many attempts: wait a minute and try again.',
}

async function post(serverUri: string, body: z.input<typeof RegisterDeviceRequestDto>) {
  const { path, method } = agentDevices.routes.register
  const response = await fetch(new URL(path, serverUri), {
    method,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(requestTimeoutMs),
  }).catch(async (error: unknown) => {
    throw new UserError(await explainFailure(serverUri, error))
  })
  if (response.ok) {
    await response.body?.cancel()
    return
  }
  const problem = ProblemDetails.safeParse(await response.json().catch(() => undefined)).data
  const said = problem?.detail ? ` It said: ${problem.detail}` : ''
  throw new UserError(
    `${serverUri} refused the registration with status ${response.status}.${said} ${refusals[response.status] ?? ''}`.trim(),
  )
}

/**
 * The identity that the options ask for. Registering again keeps the key pair of the same device, so that a refusal
 * leaves the device as it was; another device or server gets a new one.
 */
function prepare(options: Options, existing: Settings | undefined): Settings {
  const known = existing?.AppOptions
  const serverUri = options.serverUri ?? known?.ServerUri
  const tenantId = options.tenantId ?? known?.TenantId
  if (!serverUri || !tenantId) {
    throw new UserError('This device is not registered yet. Give the server address and tenant (-s, -t), see --help.')
  }
  const deviceId = options.deviceId ?? known?.DeviceId ?? randomUUID()
  const isSame = known && known.DeviceId === deviceId && known.ServerUri === serverUri
  const PrivateKey = isSame ? known.PrivateKey : newIdentity().privateKey
  return {
    ...existing,
    AppOptions: {
      ...known,
      DeviceId: deviceId,
      PrivateKey,
      ServerUri: serverUri,
      TenantId: tenantId,
      IsRegistered: isSame ? known.IsRegistered : false,
    },
    InstanceOptions: { ...existing?.InstanceOptions, InstanceId: options.instanceId ?? null },
  }
}

export type Describe = (settings: Settings) => Promise<DeviceUpdateRequestDto>

/**
 * Settings to run with: those on disk, joined with what the options say, registered when an installer key is given and
 * `always` or the device is not registered yet. Throws `UserError` with the server's answer when that fails.
 */
export async function ensureRegistered(
  paths: Paths,
  options: Options,
  describe: Describe,
  { always }: { always: boolean },
): Promise<Settings> {
  const existing = loadSettings(paths)
  const settings = prepare(options, existing)
  const { installerKeyId, installerKeySecret, deviceTags, customer } = options
  const needsRegistration = always || !settings.AppOptions.IsRegistered
  if (!installerKeyId || !installerKeySecret || !needsRegistration) {
    saveSettings(paths, settings)
    return settings
  }
  if (!existing) {
    // Should the answer get lost, the next attempt registers this same device instead of a second one.
    saveSettings(paths, settings)
  }
  await post(settings.AppOptions.ServerUri, {
    device: await describe(settings),
    installerKeyId,
    installerKeySecret,
    publicKey: identityFrom(settings.AppOptions.PrivateKey).publicKey,
    tagIds: deviceTags ?? null,
    customerId: customer ?? null,
  })
  const registered = { ...settings, AppOptions: { ...settings.AppOptions, IsRegistered: true } }
  saveSettings(paths, registered)
  return registered
}
