import type { TerminalSessionResult } from '../../../shared/dtos/terminal.ts'
import { viewer } from '../../api/hubs.ts'
import type { CompletionRequest } from './completer.ts'
import type { TerminalMessage, TerminalSize } from './input-queue.ts'

/** The calls about terminals of one device. */
export const terminalCalls = (deviceId: string) => ({
  /** The device opens its usual shell; another one then takes its place, before anybody has seen the first. */
  async create(terminalId: string, shell: string | undefined, size: TerminalSize): Promise<TerminalSessionResult> {
    const created = await viewer.CreateTerminalSession2({ deviceId, terminalId })
    if (!created.isSuccess || shell === undefined || shell === created.shell || !created.shells?.includes(shell)) {
      return created
    }
    const input = { terminalId, input: '', isRaw: true, shell, ...size }
    return viewer.SendTerminalInput2({ deviceId, input })
  },
  /** Output goes to this page from now on, beginning with the recent one. */
  attach: (terminalId: string, size: TerminalSize): Promise<TerminalSessionResult> =>
    viewer.SendTerminalInput2({ deviceId, input: { terminalId, input: '', isRaw: true, isAttach: true, ...size } }),
  send: (terminalId: string, isRaw: true | undefined, message: TerminalMessage) =>
    viewer.SendTerminalInput2({ deviceId, input: { terminalId, isRaw, ...message } }),
  complete: (terminalId: string, request: CompletionRequest) =>
    viewer.GetPwshCompletions({ deviceId, terminalId, ...request }),
  /** Ends its shell, as far as it can be reached. */
  close: (terminalId: string) => void viewer.CloseTerminalSession2({ deviceId, terminalId }).catch(() => {}),
})
