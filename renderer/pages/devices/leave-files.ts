import { applianceBatches } from '../../../shared/api/appliance-batches.ts'
import { buildUrl } from '../../../shared/contract/client.ts'
import { BatchFileDto } from '../../../shared/dtos/batch.ts'
import { sendBytes } from '../../features/transfers/send-bytes.ts'

/** Leaves files on the server, for a bulk job. Returns their ids in the same order; `onPart` gets the sent part, 0 to 1. */
export async function leaveFiles(
  files: readonly File[],
  { signal, onPart }: { signal: AbortSignal; onPart: (part: number) => void },
): Promise<string[]> {
  const { method, path } = applianceBatches.routes.addFile
  const total = files.reduce((sum, { size }) => sum + size, 0)
  const ids: string[] = []
  let before = 0
  for (const file of files) {
    const answer = await sendBytes({
      method,
      url: buildUrl(path, { query: { fileName: file.name } }),
      headers: { 'content-type': 'application/octet-stream' },
      body: file,
      signal,
      onProgress: (bytes) => onPart((before + bytes) / Math.max(1, total)),
    })
    ids.push(BatchFileDto.parse(await answer.json()).id)
    before += file.size
  }
  return ids
}
