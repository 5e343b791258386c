import { ownAgentMake } from '../../../shared/dtos/device.ts'
import type { DeviceAgentDto } from '../../../shared/dtos/device-agent.ts'
import type { App } from '../../call.ts'
import type { DeviceState } from '../../mirrors/fleet/device-state.ts'
import { presentDevice } from '../../presenters/device.ts'

/** Whether the agent can install this server's releases; assumed until the agent reports its make. */
export const isUpdatable = ({ agentMake }: DeviceState): boolean => agentMake === null || agentMake === ownAgentMake

export function agentOf({ agentRelease }: App, device: DeviceState): DeviceAgentDto {
  const { id: deviceId, agentMake: make } = device
  const { isOutdated } = presentDevice(device, agentRelease.version)
  return { deviceId, make, isUpdatable: isUpdatable(device), isUpdateOffered: isOutdated && isUpdatable(device) }
}
