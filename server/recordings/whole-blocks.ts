import { truncate } from 'node:fs/promises'
import type { App } from '../call/call.ts'
import { BlockReader, digestOf } from './block-file.ts'
import { keyContext, pathOf } from './folder.ts'
import type { RecordingRow } from './tables.ts'

/** Cuts a file that was not finished after its last whole block, and describes the rest. Rejects for a damaged file. */
export async function keepWholeBlocks(app: App, { id, sealedKey, startedAt }: RecordingRow) {
  const path = pathOf(app, id)
  await using file = await BlockReader.open(path, id, app.sealer.unseal(sealedKey, keyContext(id)))
  const { blocks, bytes } = await file.readBlocks()
  await truncate(path, bytes)
  const endedAt = startedAt + (blocks.at(-1)?.to ?? 0) - (blocks[0]?.from ?? 0)
  return { bytes, blocks: blocks.length, digest: await digestOf(path, bytes), endedAt }
}
