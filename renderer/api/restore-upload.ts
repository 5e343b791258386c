import { RestoredDto } from '../../shared/dtos/backup.ts'
import { ApiError } from '../../shared/contract/client.ts'
import { ProblemDetails } from '../../shared/contract/problem.ts'
import { pageHeaders } from './page-key.ts'

/** Restores an uploaded copy on a server without accounts. The fields come first: the server checks them before the file. */
export async function uploadRestore(file: File, recoveryKey: string, setupCode: string): Promise<RestoredDto> {
  const body = new FormData()
  body.set('recoveryKey', recoveryKey)
  body.set('setupCode', setupCode)
  body.set('file', file)
  const answer = await fetch('/api/appliance/v1/first-run/uploads', { method: 'POST', body, headers: pageHeaders })
  const value: unknown = await answer.json().catch(() => undefined)
  if (!answer.ok) {
    const problem = ProblemDetails.safeParse(value).data
    throw new ApiError(answer.status, problem, 'upload')
  }
  return RestoredDto.parse(value)
}
