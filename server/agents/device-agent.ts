import { ownAgentMake } from '../../shared/dtos/device.ts'
import type { DeviceAgentDto } from '../../shared/dtos/device-agent.ts'
import type { App } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { presentDevice } from '../fleet/present-device.ts'

/** The only version of our agents that reports no make. */
const unnamedVersion = '0.1.0.0'

/** Make of an agent by its report: the make that it names, or ours by the version. */
export const makeOf = ({ agentVersion }: { agentVersion: string }, named: string): string =>
  named === '' && agentVersion === unnamedVersion ? ownAgentMake : named

/** Whether the agent can install this server's releases; assumed until the agent reports its make. */
export const isUpdatable = ({ agentMake }: DeviceState): boolean => agentMake === null || agentMake === ownAgentMake

export function deviceAgent({ agentRelease }: App, device: DeviceState): DeviceAgentDto {
  const { id: deviceId, agentMake: make } = device
  const { isOutdated } = presentDevice(device, agentRelease.version)
  return { deviceId, make, isUpdatable: isUpdatable(device), isUpdateOffered: isOutdated && isUpdatable(device) }
}
