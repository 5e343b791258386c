import { createHash } from 'node:crypto'
import type { z } from 'zod'
import type { IncomingBytes } from '../../shared/contract/transfer.ts'
import type { UploadNameDto, UploadStateDto } from '../../shared/dtos/file-system.ts'
import type { Call, RouteCall } from '../call/call.ts'
import { conflict, invalid } from '../ground/errors.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { ownerOf } from '../ground/principal.ts'
import { openTransfer } from '../devices/device-transfers.ts'
import { agentOf, callAgent, refusedWith } from '../devices/calls.ts'
import { Lifetime, transferLifetimeMs } from '../remote/agent-exchange.ts'
import { tooLarge } from '../engines/http/contract/multipart.ts'
import { transferLimit } from './transfer-limit.ts'
import { isFileName, send, uploadOver } from './uploads.ts'

type State = z.input<typeof UploadStateDto>

interface Upload extends UploadNameDto {
  uploadId: string
}

interface Piece extends Upload {
  offset: number
  overwrite: boolean
  sha256?: string | undefined
  ownedBy?: string | undefined
}

const newer = conflict('A newer request resumed this upload.')
const canceled = conflict('The upload was canceled.')
const cannotResume = conflict('The agent of this device cannot resume an upload. Send the file as a form.')

/** Key of an upload on the device. Unique per owner, so that no other user can resume or query the upload (T30). */
const keyOf = ({ principal }: Call, { id }: DeviceState, { uploadId }: Upload) =>
  createHash('sha256')
    .update(JSON.stringify([ownerOf(principal), id, uploadId]))
    .digest('hex')

const nothingHere: State = { canResume: false, receivedBytes: 0, isDone: false }

const stateOf = (upload: { receivedBytes: number; sha256?: string | undefined }): State => ({
  canResume: true,
  receivedBytes: upload.receivedBytes,
  isDone: upload.sha256 !== undefined,
  ...(upload.sha256 !== undefined && { sha256: upload.sha256 }),
})

/** State of an upload on the device. Agents that do not support the query answer without a state. */
export async function uploadState(
  call: RouteCall,
  device: DeviceState,
  upload: Upload,
  { isCanceled = false } = {},
): Promise<State> {
  const { targetDirectory: directoryPath, fileName, fileSize } = upload
  const which = { uploadKey: keyOf(call, device, upload), fileSize, isCanceled }
  const path = { directoryPath, fileName, upload: which }
  const answer = await callAgent(call, device, (agent) => agent.ValidateFilePath(path))
  const state = answer.upload ? stateOf(answer.upload) : nothingHere
  return answer.isValid || state.isDone ? state : { ...state, problem: answer.errorMessage }
}

/** Streams a piece of a file to a device. */
export async function sendPiece(
  call: RouteCall,
  device: DeviceState,
  piece: Piece,
  body: IncomingBytes,
): Promise<State> {
  const { app } = call
  const { targetDirectory, fileName, fileSize, offset, overwrite, sha256, ownedBy } = piece
  const agent = agentOf(device)
  const uploadKey = keyOf(call, device, piece)
  const held = openTransfer(call, device)
  const life = new Lifetime(call, transferLifetimeMs, { kind: 'upload', device })
  life.signal.addEventListener('abort', () => body.cancel(life.signal.reason as Error))
  let over = () => {}
  try {
    checkPiece(piece, body, transferLimit(app))
    over = await app.runningUploads.take(uploadKey, newer, (reason) => life.end(reason))
    const state = await life.race(uploadState(call, device, piece))
    if (!state.canResume) {
      throw cannotResume
    }
    if (offset > state.receivedBytes) {
      throw conflict(`The device has only ${state.receivedBytes} bytes of this file.`)
    }
    const { upload } = await send(
      { call, device, agent, life, fileName, failed: refusedWith(409) },
      { targetSaveDirectory: targetDirectory, overwrite, ownedBy },
      { bytes: body.read(fileSize - offset), fileSize },
      { uploadKey, offset, ...(sha256 !== undefined && { sha256: sha256.toLowerCase() }) },
    )
    if (!upload) {
      throw cannotResume
    }
    return stateOf(upload)
  } finally {
    held.close()
    life.end(uploadOver)
    over()
  }
}

function checkPiece({ fileName, fileSize, offset, sha256 }: Piece, body: IncomingBytes, limit: number | undefined) {
  if (!isFileName(fileName)) {
    throw invalid({ fileName: ['must be a name that files can have'] })
  }
  if (limit !== undefined && fileSize > limit) {
    throw tooLarge(limit)
  }
  if (offset > fileSize) {
    throw invalid({ offset: ['must not be beyond the end of the file'] })
  }
  // Pieces sent at different times need a checksum of the whole file.
  const mayEnd = offset > 0 && (body.length === undefined || offset + body.length >= fileSize)
  if (mayEnd && sha256 === undefined) {
    throw invalid({ sha256: ['is required with the last bytes of a file that was sent in pieces'] })
  }
}

/** Ends an upload on both sides, and deletes the partial file on the device. */
export async function cancelUpload(call: RouteCall, device: DeviceState, upload: Upload): Promise<void> {
  await call.app.runningUploads.stop(keyOf(call, device, upload), canceled)
  await uploadState(call, device, upload, { isCanceled: true })
}
