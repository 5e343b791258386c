import { applianceDeviceFiles } from '../../shared/api/appliance-device-files.ts'
import { buildUrl } from '../../shared/contract/client.ts'
import { FileOperationStateDto, type FileOperationDto } from '../../shared/dtos/file-messages.ts'
import { failureOf, type FilePlace } from './files.ts'
import { sendSignedIn } from './http.ts'
import { linesOf } from './lines-of.ts'
import { newId } from './new-id.ts'

/**
 * Copies, moves or renames entries of a device, and returns the problem of each item, or null. Throws `ApiError` for a
 * rejected operation, and `TypeError` when the connection is lost, which cancels the operation.
 */
export async function runFileOperation(
  { deviceId }: FilePlace,
  operation: FileOperationDto,
  { signal, onState }: { signal?: AbortSignal; onState?: (state: FileOperationStateDto) => void } = {},
): Promise<readonly (string | null)[]> {
  const { method, path } = applianceDeviceFiles.routes.operate
  const answer = await sendSignedIn(buildUrl(path, { params: { deviceId, operationId: newId() } }), {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(operation),
    ...(signal && { signal }),
  })
  if (!answer.ok || !answer.body) {
    throw await failureOf(answer)
  }
  for await (const line of linesOf(answer.body)) {
    const state = FileOperationStateDto.parse(JSON.parse(line))
    onState?.(state)
    if (state.isEnded) {
      return state.problems ?? []
    }
  }
  throw new TypeError('The operation broke off.')
}
