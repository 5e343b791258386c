import type { TerminalOutputDto } from '../../../shared/dtos/terminal.ts'
import type { OpenCall } from '../../call/call.ts'
import type { DeviceState } from '../../fleet/device-state.ts'
import { release } from './sessions.ts'
import { sendToViewers } from './viewers.ts'

/** Agents send the next output of a terminal when the server has answered the last one. */
const maxWaitingOutputs = 2

/**
 * Sends output of a device to all viewers of a terminal. The viewer id sent by the agent is untrusted: it must be a
 * connection, open or closed, under which the owner used this terminal (T15, T30). Viewers without the permission get
 * nothing (T10). `releaseSlot` lets other calls of the device run while a slow viewer delays this terminal (T37).
 */
export async function passTerminalOutput(
  call: OpenCall,
  device: DeviceState,
  viewerConnectionId: string,
  { columns: _, rows: __, isSharingChanged: ___, ...output }: TerminalOutputDto,
  releaseSlot: () => void,
): Promise<void> {
  const { app } = call
  const terminal = app.terminals.find(device.id, output.terminalId)
  if (terminal && (terminal.viewers.has(viewerConnectionId) || terminal.usedFrom.has(viewerConnectionId))) {
    const sent = sendToViewers(call, device, terminal, output)
    if (++terminal.waitingOutputs <= maxWaitingOutputs) {
      releaseSlot()
    }
    // Awaited for back-pressure: a slow viewer slows the terminal, not the server.
    await sent.finally(() => terminal.waitingOutputs--)
  }
  if (terminal) {
    terminal.bytesFromDevice += Buffer.byteLength(output.output)
    // Output that a viewer asked for again is recorded already.
    if (!output.isPast || !terminal.replay.to) {
      terminal.recorder?.terminal?.output(output.output)
    }
  }
  if (terminal && output.isExit) {
    await release(call, terminal, 'A terminal exited.')
  }
}
