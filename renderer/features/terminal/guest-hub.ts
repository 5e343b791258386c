import { failure, success } from '../../../shared/dtos/hub-result.ts'
import { viewer } from '../../api/hubs.ts'
import type { TerminalHub } from './attachment.ts'

/** Calls of a guest, who sees one terminal of somebody else: opens and closes no shell, and sets no size. */
export function createGuestHub(): TerminalHub {
  let lastRefusal = failure('')
  return {
    async SendTerminalInput2({ input: { input, isAttach } }) {
      if (!isAttach) {
        return input === '' ? success : await viewer.TypeIntoSharedTerminal(input)
      }
      const answer = await viewer.JoinSharedTerminal()
      lastRefusal = answer
      return { ...answer, isPty: true }
    },
    // Asked after a terminal could not be joined.
    CreateTerminalSession2: async () => ({ ...lastRefusal, isSuccess: false }),
    CloseTerminalSession2: async () => success,
    GetPwshCompletions: () => Promise.reject(new Error('A guest gets no completions.')),
  }
}
