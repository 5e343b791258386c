import { ApiError } from '../../../shared/contract/client.ts'
import { api } from '../../api/http.ts'
import { BrokenOff, FinalFailure } from './transfer-queue.ts'

/** What is over some time: the device is away, or did not answer, or the server has no room or no answer at all. */
const isBreak = ({ status, message }: ApiError) =>
  [0, 401, 408, 429, 502, 503, 504].includes(status) || (status === 400 && /not currently online/i.test(message))

/** Answers about the file itself: another try gets the same. */
const finalStatuses: readonly number[] = [400, 413]
const reasons: Readonly<Record<number, string>> = { 403: 'forbidden', 413: 'limit' }

/** A failure of a transfer as the queue takes it. Without a session its person is asked to sign in again, first. */
export async function transferError(error: unknown, signal: AbortSignal): Promise<Error> {
  if (signal.aborted || error instanceof BrokenOff) {
    return error instanceof Error ? error : new Error('aborted')
  }
  if (!(error instanceof ApiError)) {
    return new BrokenOff('server')
  }
  if (error.status === 401) {
    // The request of a client of ours waits until they have.
    await api.auth.me({}).catch(() => undefined)
  }
  if (!isBreak(error)) {
    const reason = reasons[error.status] ?? failedFields(error)
    return finalStatuses.includes(error.status) ? new FinalFailure(reason) : new Error(reason)
  }
  return new BrokenOff(error.status === 400 || error.status === 408 ? 'device' : 'server')
}

const failedFields = ({ problem, message }: ApiError) => {
  const fields = Object.entries(problem?.errors ?? {}).map(([name, texts]) => `${name} ${texts.join(', ')}`)
  return fields.length > 0 ? fields.join('; ') : message
}
