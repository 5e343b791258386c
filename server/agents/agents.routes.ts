import { agentDevices, type RegisterDeviceRequestDto } from '../../shared/api/agent-devices.ts'
import { agentUpdates } from '../../shared/api/agent-updates.ts'
import { applianceAgentBuilds } from '../../shared/api/appliance-agent-builds.ts'
import { applianceAgentReleases } from '../../shared/api/appliance-agent-releases.ts'
import type { RuntimeId } from '../../shared/dtos/agent-bundle.ts'
import type { OpenCall, OpenRouteCall } from '../call/call.ts'
import { implement } from '../surface/implement.ts'
import { presentDevice } from '../fleet/present-device.ts'
import { registerDevice } from './registration.ts'
import { allowStepBack, listReleases, offeredAgent, rotateReleaseKey } from './releases.ts'

const register = async (call: OpenRouteCall, { body }: { body: RegisterDeviceRequestDto }) =>
  presentDevice(await registerDevice(call, body), call.app.agentRelease.version)

export const agentDeviceRoutes = implement(agentDevices, { register, registerLegacy: register })

const metadata = (call: OpenCall, { params }: { params: { runtime: RuntimeId } }) => offeredAgent(call, params.runtime)

export const agentUpdateRoutes = implement(agentUpdates, { metadata, metadataLegacy: metadata })

export const applianceAgentBuildRoutes = implement(applianceAgentBuilds, {
  get: ({ app }) => ({ build: app.agentBuilds.current ?? null }),
  start: ({ app, actor }, { body }) => app.agentBuilds.start(body.runtime, actor),
})

export const applianceAgentReleaseRoutes = implement(applianceAgentReleases, {
  list: async (call) => ({ items: await listReleases(call) }),
  stepBack: async (call, { params }) => ({ items: await allowStepBack(call, params.build) }),
  rotateKey: (call) => rotateReleaseKey(call),
})
