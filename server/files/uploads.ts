import { createHash, randomUUID, type Hash } from 'node:crypto'
import type { z } from 'zod'
import type { AuditOutcome } from '../../shared/audit.ts'
import type { IncomingFile, IncomingForm } from '../../shared/contract/transfer.ts'
import type { FileUploadMetadata, FileUploadResult } from '../../shared/dtos/file-system.ts'
import { deviceNotConnected, failure, success, type HubResult } from '../../shared/dtos/hub-result.ts'
import type { RouteCall } from '../call/call.ts'
import { AppError, badRequest, invalid } from '../ground/errors.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { scratchDirectoryOf } from '../engines/flow/scratch-file.ts'
import type { HeldTransfer } from '../engines/flow/transfer-budgets.ts'
import { requireFilesConsent } from '../remote/consent.ts'
import { openTransfer, transferKeysOf } from '../devices/device-transfers.ts'
import { accepted, agentOf, explainFailure, refusedWith, type AgentOfDevice } from '../devices/calls.ts'
import { Lifetime, transferLifetimeMs, type TransferCall } from '../remote/agent-exchange.ts'
import { tooLarge } from '../engines/http/contract/multipart.ts'
import { transferLimit } from './transfer-limit.ts'
import { SpooledFile } from './spooled-file.ts'

interface UploadFields {
  targetSaveDirectory: string
  overwrite: boolean
  ownedBy?: string | undefined
}

interface Upload {
  call: TransferCall
  device: DeviceState
  agent: AgentOfDevice
  life: Lifetime
  fileName: string
  /** Maps a failure of the agent to the uploader's error. */
  failed(reason: string): AppError
}

const failed = refusedWith(500)
const failedForViewer = (reason: string) => failed(`Agent failed to download file: ${reason}`)
/** Error for a viewer that broke off its stream. */
const brokenOffByViewer = badRequest('File upload was canceled.')
export const uploadOver = badRequest('The upload is over.')
/** Text by which agents recognize a failure caused by the client. */
const canceled = badRequest('Stream canceled by client.')

export const isFileName = (name: string) => name.length <= 255 && !/[\u0000-\u001f/\\]|^\.*$/.test(name)

async function notEmpty(bytes: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const iterator = bytes[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done) {
    throw invalid({ file: ['must not be empty'] })
  }
  return (async function* again() {
    yield first.value
    yield* { [Symbol.asyncIterator]: () => iterator }
  })()
}

/** Ends only after the form around the file is complete. */
async function* withForm({ bytes, allFields }: IncomingFile<UploadFields>) {
  yield* bytes
  await allFields()
}

/**
 * Asks the agent to fetch the bytes, and returns after the agent has written all. With `resume` the bytes are a piece
 * of the file.
 */
export async function send(
  upload: Upload,
  fields: UploadFields,
  content: { bytes: AsyncIterable<Uint8Array>; fileSize: number },
  resume?: { uploadKey: string; offset: number; sha256?: string },
): Promise<z.output<typeof FileUploadResult>> {
  const { call, device, fileName } = upload
  const record = (outcome: AuditOutcome, reason: string | null) =>
    call.app.audit.record(call.actor, {
      kind: 'file.uploaded',
      outcome,
      device,
      target: { kind: 'file', name: fileName },
      details: { folder: fields.targetSaveDirectory, bytes: content.fileSize, reason },
    })
  try {
    const result = await sendBytes(upload, fields, content, resume)
    // The last piece completes a file that is sent in pieces.
    if (!resume || result.upload?.sha256 !== undefined) {
      call.app.recorders.mark(call.principal, device.id, 'upload', fileName)
      await record('success', null)
    }
    return result
  } catch (error) {
    // A client repeats the piece of a file. With the last bytes, the device may have completed the file (T45).
    if (!resume || resume.offset + upload.life.bytesToDevice >= content.fileSize) {
      await record('failure', (error as Error).message)
    }
    throw error
  }
}

async function sendBytes(
  { call: { app }, agent, life, fileName, failed: refused }: Upload,
  { targetSaveDirectory, overwrite, ownedBy }: UploadFields,
  { bytes, fileSize }: { bytes: AsyncIterable<Uint8Array>; fileSize: number },
  resume?: { uploadKey: string; offset: number; sha256?: string },
): Promise<z.output<typeof FileUploadResult>> {
  let isSent = false
  async function* counted(hash?: Hash) {
    try {
      for await (const chunk of bytes) {
        await life.pass()
        life.bytesToDevice += chunk.length
        hash?.update(chunk)
        yield chunk
      }
      if (hash) {
        yield hash.digest()
      }
      isSent = true
    } catch (error) {
      life.end(error as Error)
      throw canceled
    }
  }
  const offer = (items: AsyncIterable<Uint8Array>) => app.streams.offer(agent.connectionId, items, life.signal)
  const checkedStreamId = offer(counted(createHash('sha256')))
  // Each agent fetches the stream it supports. Agents without resume support read `streamId`, which is never offered
  // for a piece, because they would store the piece as the whole file.
  const streams = resume
    ? { streamId: randomUUID(), resume: { ...resume, streamId: checkedStreamId } }
    : { streamId: offer(counted()), checkedStreamId }
  const request = { ...streams, targetDirectoryPath: targetSaveDirectory, fileName, fileSize, overwrite, ownedBy }
  const answer = app.hubs.agent.invoke(agent.connectionId, life.signal).DownloadFileFromViewer(request)
  let result
  try {
    result = accepted(await life.race(answer), refused)
  } catch (error) {
    if (life.signal.aborted) {
      throw life.signal.reason
    }
    const explained = explainFailure(app, agent, error)
    throw explained === error || explained.status !== 500 ? explained : refused(explained.message)
  }
  if (!isSent) {
    throw refused('The device answered before it had the whole file.')
  }
  life.isDone = true
  return result
}

const advice = 'Send targetSaveDirectory and overwrite before the file, or try again later.'
const full = {
  principal: `Your other uploads use all the space that the server has for your files. ${advice}`,
  tenant: `Other uploads of your organization use all the space that the server has for its files. ${advice}`,
  device: `Other uploads to this device use all the space that the server has for them. ${advice}`,
  all: `The server has no space for the file. ${advice}`,
}

/** Spools the file until the form is complete, because fields after the file decide its target. */
async function spoolAndSend(
  call: RouteCall,
  device: DeviceState,
  upload: Upload,
  file: IncomingFile<UploadFields>,
): Promise<void> {
  const { config, transferDisk } = call.app
  const held = transferDisk.open(transferKeysOf(call, device))
  const spool = await SpooledFile.create(scratchDirectoryOf(config), held, full)
  try {
    await spool.fill(await notEmpty(file.bytes), file.announcedBytes)
    const fields = await file.allFields()
    await send(upload, fields, { bytes: spool.read(), fileSize: spool.size })
  } finally {
    await spool.close()
  }
}

/** Sends a file of a form to a device, and returns its name. Streams the file if the fields precede it. */
export async function uploadFile(
  call: RouteCall,
  device: DeviceState,
  form: IncomingForm<UploadFields>,
): Promise<string> {
  const { app } = call
  await app.diskSpace.requireRoom()
  const agent = agentOf(device)
  const held = openTransfer(call, device)
  const life = new Lifetime(call, transferLifetimeMs, { kind: 'upload', device })
  life.signal.addEventListener('abort', () => form.cancel(life.signal.reason as Error))
  try {
    const file = await form.open({ maxBytes: transferLimit(app) })
    const upload = { call, device, agent, life, fileName: file.name, failed }
    if (!isFileName(file.name)) {
      throw invalid({ file: ['must have a name that files can have'] })
    }
    if (file.fields && file.announcedBytes !== undefined) {
      await send(upload, file.fields, { bytes: await notEmpty(withForm(file)), fileSize: file.announcedBytes })
    } else {
      await spoolAndSend(call, device, upload, file)
    }
    return file.name
  } finally {
    held.close()
    life.end(uploadOver)
  }
}

async function* unlessBrokenOff(items: AsyncIterable<Uint8Array>) {
  try {
    yield* items
  } catch {
    throw brokenOffByViewer
  }
}

async function* ofAnnouncedSize(items: AsyncIterable<Uint8Array>, most: number) {
  let size = 0
  for await (const chunk of unlessBrokenOff(items)) {
    size += chunk.length
    if (size > most) {
      throw badRequest('The viewer sent more than it announced.')
    }
    yield chunk
  }
  if (size < most) {
    throw badRequest('The viewer sent less than it announced.')
  }
}

/** Sends a file to a device; the viewer streams the file with its hub call. `refusal` maps a failure of the agent. */
export async function uploadFromViewer(
  call: TransferCall,
  device: DeviceState,
  { targetDirectory, fileName, fileSize, overwrite, ownedBy }: FileUploadMetadata & Pick<UploadFields, 'ownedBy'>,
  items: AsyncIterable<Uint8Array>,
  refusal = failedForViewer,
): Promise<HubResult> {
  const { app } = call
  const limit = transferLimit(app)
  if (limit !== undefined && fileSize > limit) {
    return failure(tooLarge(limit).message)
  }
  if (!isFileName(fileName)) {
    return failure('The file must have a name that files can have.')
  }
  if (device.connectionId === '') {
    return failure(deviceNotConnected)
  }
  const agent = agentOf(device)
  let held: HeldTransfer
  try {
    await requireFilesConsent(call, device)
    await app.diskSpace.requireRoom()
    held = openTransfer(call, device)
  } catch (error) {
    return failure((error as Error).message)
  }
  const life = new Lifetime(call, transferLifetimeMs, { kind: 'upload', device })
  try {
    const fields = { targetSaveDirectory: targetDirectory, overwrite, ownedBy }
    const bytes = ofAnnouncedSize(items, fileSize)
    await send({ call, device, agent, life, fileName, failed: refusal }, fields, { bytes, fileSize })
    return success
  } catch (error) {
    if (app.fleet.get(device.id)?.connectionId !== agent.connectionId) {
      return failure(deviceNotConnected)
    }
    if (error instanceof AppError) {
      return failure(error.message)
    }
    app.log.warn({ err: error, deviceId: device.id }, 'A file of a viewer could not be sent.')
    return failure('An error occurred during file upload.')
  } finally {
    held.close()
    life.end(uploadOver)
  }
}
