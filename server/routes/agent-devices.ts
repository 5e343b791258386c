import { agentDevices, type RegisterDeviceRequestDto } from '../../shared/api/agent-devices.ts'
import type { Context } from '../context.ts'
import { registerDevice } from '../services/agents/registration.ts'
import { implement } from './implement.ts'

const register = async ({ app, remoteAddress }: Context, { body }: { body: RegisterDeviceRequestDto }) =>
  app.presentDevice(await registerDevice(app, body, remoteAddress))

export const agentDeviceRoutes = implement(agentDevices, { register, registerLegacy: register })
