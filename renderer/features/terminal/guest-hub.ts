import { ApiError } from '../../../shared/contract/client.ts'
import { failure, success, type HubResult } from '../../../shared/dtos/hub-result.ts'
import { maxGuestInput } from '../../../shared/dtos/terminal.ts'
import { Mutex } from '../../../shared/mutex.ts'
import { api } from '../../api/http.ts'
import { connectionId } from '../../api/hubs.ts'
import type { TerminalHub } from './attachment.ts'

/** Resolves with the reason of the server; rejects without an answer of the server. */
async function resultOf(request: Promise<void>): Promise<HubResult> {
  try {
    await request
    return success
  } catch (error) {
    if (error instanceof ApiError && error.problem) {
      return failure(error.message)
    }
    throw error
  }
}

/** Calls of a guest, who sees one terminal of somebody else: opens and closes no shell, and sets no size. */
export function createGuestHub(): TerminalHub {
  let lastRefusal = failure('')
  const typing = new Mutex()
  /** Input of the next request: keys typed during a request share the next one, so that their order is kept. */
  let waiting: { input: string; sent: Promise<HubResult> } | undefined

  function type(input: string): Promise<HubResult> {
    if (waiting && waiting.input.length + input.length <= maxGuestInput) {
      waiting.input += input
      return waiting.sent
    }
    const next = { input, sent: Promise.resolve(success as HubResult) }
    waiting = next
    next.sent = typing.run(() => {
      waiting = waiting === next ? undefined : waiting
      return resultOf(api.sharedTerminal.type({ body: { connectionId: connectionId(), input: next.input } }))
    })
    return next.sent
  }

  return {
    async SendTerminalInput2({ input: { input, isAttach } }) {
      if (!isAttach) {
        return input === '' ? success : await type(input)
      }
      lastRefusal = await resultOf(api.sharedTerminal.join({ body: { connectionId: connectionId() } }))
      return { ...lastRefusal, isPty: true }
    },
    // Asked after a terminal could not be joined.
    CreateTerminalSession2: async () => ({ ...lastRefusal, isSuccess: false }),
    CloseTerminalSession2: async () => success,
    GetPwshCompletions: () => Promise.reject(new Error('A guest gets no completions.')),
  }
}
