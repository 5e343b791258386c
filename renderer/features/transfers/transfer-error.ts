import { ApiError } from '../../../shared/contract/client.ts'
import { api } from '../../api/http.ts'
import { BrokenOff, FinalFailure } from './transfer.ts'

/** Whether an error is temporary: device offline, timeout, no response, or server overloaded. */
const isBreak = ({ status, message }: ApiError) =>
  [0, 401, 408, 429, 502, 503, 504].includes(status) || (status === 400 && /not currently online/i.test(message))

/** Errors about the file itself, for which a retry is useless. */
const finalStatuses: readonly number[] = [400, 413]
const reasons: Readonly<Record<number, string>> = { 403: 'forbidden', 413: 'limit' }

/** Converts an error for the queue. On a 401 the user is asked to sign in first. */
export async function transferError(error: unknown, signal: AbortSignal): Promise<Error> {
  if (signal.aborted || error instanceof BrokenOff) {
    return error instanceof Error ? error : new Error('aborted')
  }
  if (!(error instanceof ApiError)) {
    return new BrokenOff('server')
  }
  if (error.status === 401) {
    // Waits until the user has signed in again.
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
