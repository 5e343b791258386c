import type { HubResult } from '../../../shared/dtos/hub-result.ts'
import type { OpenCall } from '../../call.ts'
import type { DeviceState } from '../../mirrors/fleet/device-state.ts'
import { tellAgent, type AgentSender } from '../agent-calls/calls.ts'
import { noteEvidence, type Evidence } from './evidence.ts'

/** Sends an order after which a device may be away, and keeps that it was given: before, for the device may be quick. */
async function order(
  call: OpenCall,
  device: DeviceState,
  evidence: Evidence,
  tell: (agent: AgentSender) => Promise<void>,
): Promise<HubResult> {
  const { app, actor } = call
  if (device.connectionId !== '') {
    app.log.info({ actor, deviceId: device.id, order: Object.keys(evidence)[0] }, 'An order was sent to an agent.')
    await noteEvidence(app, device.id, evidence)
  }
  return tellAgent(call, device, tell)
}

/** Restarts the device (1) or switches it off (2). */
export const changePower = (call: OpenCall, device: DeviceState, change: 1 | 2): Promise<HubResult> =>
  order(call, device, { power: { at: call.app.clock.now(), change: change === 1 ? 'restart' : 'shutdown' } }, (agent) =>
    agent.ReceivePowerStateChange(change),
  )

/** Has the agent look for an update of itself. */
export const updateAgent = (call: OpenCall, device: DeviceState): Promise<HubResult> =>
  order(call, device, { update: { at: call.app.clock.now(), fromVersion: device.agentVersion } }, (agent) =>
    agent.ReceiveAgentUpdateTrigger(),
  )

/** Has the agent remove itself; the reason is for its log. */
export const uninstallAgent = (call: OpenCall, device: DeviceState, reason: string): Promise<HubResult> =>
  order(call, device, { uninstall: { at: call.app.clock.now() } }, (agent) => agent.UninstallAgent(reason))
