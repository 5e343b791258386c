import { ApiError } from '../../shared/contract/client.ts'
import { ProblemDetails } from '../../shared/contract/problem.ts'
import { deviceAccessPath, endsSessionParameter } from '../../shared/device-access.ts'
import { pageHeaders } from './page-key.ts'

/**
 * Begins the session of a link to one device, by the link's own parameters; throws `ApiError`. Needs a confirmation to end
 * a session of the visitor: 409 without one.
 */
export async function redeemLink(parameters: string, endsSession: boolean): Promise<void> {
  const query = new URLSearchParams(parameters)
  if (endsSession) {
    query.set(endsSessionParameter, 'true')
  }
  const answer = await fetch(`${deviceAccessPath}?${query.toString()}`, { method: 'POST', headers: { ...pageHeaders } })
  if (!answer.ok) {
    const problem: unknown = await answer.json().catch(() => undefined)
    throw new ApiError(answer.status, ProblemDetails.safeParse(problem).data)
  }
}
