import type { TerminalOutputDto } from '../../../shared/dtos/terminal.ts'
import type { OpenCall } from '../../call/call.ts'
import type { DeviceState } from '../../fleet/device-state.ts'
import { release } from './sessions.ts'
import type { Terminal } from './terminal-mirror.ts'
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
  if (!terminal) {
    return
  }
  const isNamed = terminal.viewers.has(viewerConnectionId) || terminal.usedFrom.has(viewerConnectionId)
  noteReplay(terminal, device, output)
  const sent = isNamed ? sendToViewers(call, device, terminal, output) : undefined
  terminal.bytesFromDevice += Buffer.byteLength(output.output)
  // Before the wait for a slow viewer, during which another one that has seen the output may close the terminal (T50).
  record(terminal, output)
  if (sent) {
    if (++terminal.waitingOutputs <= maxWaitingOutputs) {
      releaseSlot()
    }
    // Awaited for back-pressure: a slow viewer slows the terminal, not the server.
    await sent.finally(() => terminal.waitingOutputs--)
  }
  if (output.isExit) {
    await release(call, terminal, 'A terminal exited.')
  }
}

/** Notes whether a replay is the first output of a connection that is recorded: it has what was printed before. */
function noteReplay({ replay, recorder }: Terminal, { connectionId }: DeviceState, { isReplay }: TerminalOutputDto) {
  const isFirst = replay.recordedFrom !== connectionId
  if (isReplay) {
    replay.isFirst = isFirst || (replay.isRunning && replay.isFirst)
  }
  if (recorder) {
    replay.recordedFrom = connectionId
  }
}

/** Records output, but not what a viewer asked for again, which is recorded already. */
function record({ recorder, replay }: Terminal, { isPast, output }: TerminalOutputDto) {
  if (!isPast || !replay.to || replay.isFirst) {
    recorder?.terminal?.output(output)
  }
}
