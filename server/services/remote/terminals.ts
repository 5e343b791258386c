import { failure, type HubResult } from '../../../shared/dtos/hub-result.ts'
import type { TerminalInputDto, TerminalOutputDto } from '../../../shared/dtos/terminal.ts'
import type { Call, OpenCall } from '../../call.ts'
import type { DeviceState } from '../../memory/fleet/device-state.ts'
import { deviceRight } from '../../policies/device.ts'
import { askAgent, tellAgent } from '../agents/calls.ts'

const noTerminalId = failure('A terminal id is required.')

/** Opens a terminal on a device, or takes up one that is open there, for a viewer connection. */
export function createTerminal(call: Call, connectionId: string, device: DeviceState, terminalId: string | undefined) {
  if (terminalId === undefined) {
    return noTerminalId
  }
  call.app.terminals.open({ connectionId, principal: call.principal }, device.id)
  return askAgent(call, device, (agent) => agent.CreateTerminalSession(terminalId, connectionId))
}

export function sendTerminalInput(call: Call, connectionId: string, device: DeviceState, input: TerminalInputDto) {
  call.app.terminals.open({ connectionId, principal: call.principal }, device.id)
  return askAgent(call, device, (agent) => agent.ReceiveTerminalInput({ ...input, viewerConnectionId: connectionId }))
}

export async function closeTerminal(
  call: Call,
  device: DeviceState,
  terminalId: string | undefined,
): Promise<HubResult> {
  return terminalId === undefined
    ? noTerminalId
    : tellAgent(call, device, (agent) => agent.CloseTerminalSession(terminalId))
}

/**
 * Passes output of a device on to the viewer that its agent names. That is a claim: output goes only where a terminal on
 * this device was opened (T15), as long as the viewer may use one (T10).
 */
export async function passTerminalOutput(
  { app }: OpenCall,
  device: DeviceState,
  viewerConnectionId: string,
  output: TerminalOutputDto,
): Promise<void> {
  const principal = app.terminals.openedBy(viewerConnectionId, device.id)
  if (principal && deviceRight(app, principal, 'device.terminal.use')(device)) {
    // The agent waits for this before it sends more: a slow viewer slows the terminal, not the server.
    await app.hubs.viewer.send(viewerConnectionId).ReceiveTerminalOutput(output)
  }
}
