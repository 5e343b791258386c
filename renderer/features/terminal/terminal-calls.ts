import type { TerminalSessionResult } from '../../../shared/dtos/terminal.ts'
import { viewer } from '../../api/hubs.ts'
import type { CompletionRequest } from './completer.ts'
import type { TerminalMessage, TerminalSize } from './input-queue.ts'

/** Hub calls for the terminals of one device. */
export const terminalCalls = (deviceId: string) => ({
  /** Opens the device's default shell, then replaces it by the requested one if the device has it. */
  async create(terminalId: string, shell: string | undefined, size: TerminalSize): Promise<TerminalSessionResult> {
    const created = await viewer.CreateTerminalSession2({ deviceId, terminalId })
    if (!created.isSuccess || shell === undefined || shell === created.shell || !created.shells?.includes(shell)) {
      return created
    }
    const input = { terminalId, input: '', isRaw: true, shell, ...size }
    return viewer.SendTerminalInput2({ deviceId, input })
  },
  /** Directs output to this page, starting with recent output. */
  attach: (terminalId: string, size: TerminalSize): Promise<TerminalSessionResult> =>
    viewer.SendTerminalInput2({ deviceId, input: { terminalId, input: '', isRaw: true, isAttach: true, ...size } }),
  send: (terminalId: string, isRaw: true | undefined, message: TerminalMessage) =>
    viewer.SendTerminalInput2({ deviceId, input: { terminalId, isRaw, ...message } }),
  complete: (terminalId: string, request: CompletionRequest) =>
    viewer.GetPwshCompletions({ deviceId, terminalId, ...request }),
  /** Ends the shell; failures are ignored. */
  close: (terminalId: string) => void viewer.CloseTerminalSession2({ deviceId, terminalId }).catch(() => {}),
})
