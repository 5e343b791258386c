import { agentDevices, type RegisterDeviceRequestDto } from '../../shared/api/agent-devices.ts'
import type { OpenRouteCall } from '../call.ts'
import { presentDevice } from '../presenters/device.ts'
import { registerDevice } from '../services/agents/registration.ts'
import { implement } from './implement.ts'

const register = async (call: OpenRouteCall, { body }: { body: RegisterDeviceRequestDto }) =>
  presentDevice(await registerDevice(call, body), call.app.agentRelease.version)

export const agentDeviceRoutes = implement(agentDevices, { register, registerLegacy: register })
