import { failure, type HubResult } from '../../shared/dtos/hub-result.ts'
import type { AuditEvent } from '../audit/event.ts'
import type { OpenCall } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { powerChangeType, type PowerVariant } from '../../shared/dtos/power-change.ts'
import { agentMessage, askAgent, notOnline, refusedWith, sendToAgent, type AgentSender } from './calls.ts'
import { noteEvidence, type Evidence } from './absence-evidence.ts'

type CommandKind = 'device.power' | 'device.agent-updated' | 'device.uninstalled'

/**
 * Sends a command that may take a device offline. Stores the evidence first, because the device may disconnect before
 * the send returns.
 */
async function sendCommand(
  call: OpenCall,
  device: DeviceState,
  evidence: Evidence,
  event: Pick<AuditEvent<CommandKind>, 'kind' | 'details'>,
  send: (agent: AgentSender) => Promise<void>,
): Promise<HubResult> {
  const { app, actor } = call
  if (device.connectionId !== '') {
    app.log.info({ actor, deviceId: device.id, command: Object.keys(evidence)[0] }, 'A command was sent to an agent.')
    await noteEvidence(app, device.id, evidence)
  }
  const result = await sendToAgent(call, device, send)
  await app.audit.record(actor, { ...event, device, outcome: result.isSuccess ? 'success' : 'failure' })
  return result
}

/** Restarts the device (1) or shuts it down (2). */
export const changePower = (call: OpenCall, device: DeviceState, change: 1 | 2): Promise<HubResult> =>
  sendCommand(
    call,
    device,
    { power: { at: call.app.clock.now(), change: change === 1 ? 'restart' : 'shutdown' } },
    { kind: 'device.power', details: { command: change === 1 ? 'restart' : 'shutdown' } },
    (agent) => agent.ReceivePowerStateChange(change),
  )

const notChanged = refusedWith(503, 'The device did not do it')

/** Asks for a change that only this product's agent knows. Throws with the reason of the device. */
export async function changePowerVariant(call: OpenCall, device: DeviceState, change: PowerVariant): Promise<void> {
  const { app, actor } = call
  if (device.connectionId === '') {
    throw notOnline(409)
  }
  if (change === 'firmware' || change === 'safe-mode') {
    await noteEvidence(app, device.id, { power: { at: app.clock.now(), change: 'restart' } })
  }
  const message = agentMessage(powerChangeType, { change })
  const result = await askAgent(
    call,
    device,
    async (agent) => (await agent.ReceiveDto(message)) ?? failure('This agent cannot do that.'),
  )
  const outcome = result.isSuccess ? 'success' : 'failure'
  await app.audit.record(actor, { kind: 'device.power', details: { command: change }, device, outcome })
  if (!result.isSuccess) {
    throw notChanged(result.reason!)
  }
}

export const updateAgent = (call: OpenCall, device: DeviceState): Promise<HubResult> =>
  sendCommand(
    call,
    device,
    { update: { at: call.app.clock.now(), fromVersion: device.agentVersion } },
    { kind: 'device.agent-updated' },
    (agent) => agent.ReceiveAgentUpdateTrigger(),
  )

/** Uninstalls the agent; the agent logs the reason. */
export const uninstallAgent = (call: OpenCall, device: DeviceState, reason: string): Promise<HubResult> =>
  sendCommand(
    call,
    device,
    { uninstall: { at: call.app.clock.now() } },
    { kind: 'device.uninstalled', details: { reason } },
    (agent) => agent.UninstallAgent(reason),
  )
