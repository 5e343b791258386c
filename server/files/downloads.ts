import { createHash } from 'node:crypto'
import type { Download } from '../../shared/contract/transfer.ts'
import type { FileDownloadResult } from '../../shared/dtos/file-system.ts'
import type { RouteCall } from '../call/call.ts'
import { badRequest, forbidden } from '../ground/errors.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { longestPath, type AuditEvent } from '../audit/event.ts'
import { splitPaths } from './split-paths.ts'
import { deviceFailed, patienceMs, refusedWith, valueOf, type Agent } from '../devices/calls.ts'
import { counted } from '../remote/counted-stream.ts'
import { AgentExchange, transferLifetimeMs } from '../remote/agent-exchange.ts'
import { archiveNameOf, safeFileName } from '../../shared/safe-file-names.ts'
import { logFiles } from './file-system.ts'
import { tooLarge } from '../engines/http/contract/multipart.ts'
import { transferLimit } from './transfer-limit.ts'

/**
 * Download of a file with an announced size of 0. Files below /proc announce 0 as well, so the length is unknown unless
 * the file is empty.
 */
async function ofUnknownSize(bytes: AsyncIterable<Uint8Array>): Promise<Pick<Download, 'length' | 'body'>> {
  const iterator = bytes[Symbol.asyncIterator]()
  const first = await iterator.next()
  async function* all() {
    yield first.value as Uint8Array
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return first.done === true ? { length: 0, body: bytes } : { body: all() }
}

const transfers = { kind: 'file', lifetimeMs: transferLifetimeMs, refused: refusedWith(500) } as const

/**
 * Records that files are being sent to the client; the outcome is in their session. A list of paths that is too long for
 * one row is recorded in parts. Where it is too long for these too, the last part has the number of the other paths, and a
 * hash of the list, one path a line, that proves which list it was.
 */
export async function recordDownload(
  { app, principal, actor }: RouteCall,
  device: DeviceState,
  paths: readonly string[],
  bytes: number,
) {
  app.recorders.mark(principal, device.id, 'download', paths.join(', '))
  const distinct = [...new Set(paths)]
  const { parts, further } = splitPaths(distinct, longestPath)
  const lastDetails = further > 0 && {
    part: `${parts.length} of ${parts.length}, without ${further} paths`,
    listSha256: createHash('sha256').update(distinct.join('\n')).digest('hex'),
  }
  await app.audit.recordInParts(
    actor,
    parts.map((name, index): AuditEvent<'file.downloaded'> => ({
      kind: 'file.downloaded',
      device,
      target: { kind: 'file', name },
      details: {
        bytes,
        ...(parts.length > 1 && { part: `${index + 1} of ${parts.length}` }),
        ...(index === parts.length - 1 && lastDetails),
      },
    })),
  )
}

/** Download that an agent sends after it has announced name and size. */
async function announced(
  call: RouteCall,
  device: DeviceState,
  paths: readonly string[],
  ask: (agent: Agent, streamId: string) => Promise<FileDownloadResult>,
  name?: string,
): Promise<Download> {
  // The answer may take long, because directories are packed first.
  const exchange = new AgentExchange<Uint8Array, FileDownloadResult>(call, {
    ...transfers,
    session: 'download',
    device,
    answerMs: transferLifetimeMs,
    ask,
  })
  const answer = valueOf(await exchange.answer(), transfers.refused)
  const { fileSize, fileDisplayName, etag, sha256, offset = 0, hasDigest = false } = answer
  const limit = transferLimit(call.app)
  if (limit !== undefined && fileSize > limit) {
    const refusal = tooLarge(limit)
    exchange.end(refusal)
    throw refusal
  }
  if (offset > fileSize || (offset > 0 && offset !== call.rest()?.offset)) {
    const refusal = deviceFailed('The device sent another part of the file than it was asked for.')
    exchange.end(refusal)
    throw refusal
  }
  const { items } = await exchange.stream()
  await recordDownload(call, device, paths, fileSize)
  const length = fileSize - offset
  const content =
    fileSize === 0
      ? await ofUnknownSize(counted(items, { ...(limit !== undefined && { most: limit }), hasDigest }))
      : { length, body: counted(items, { least: length, most: length, isCut: !hasDigest, hasDigest }) }
  return {
    ...content,
    ...(etag !== undefined && { etag }),
    ...(sha256 !== undefined && { sha256 }),
    ...(offset > 0 && { rest: { offset, total: fileSize } }),
    isBodyOwned: true,
    file: { name: name ?? safeFileName(fileDisplayName), disposition: 'attachment' },
    onCut: (cut) => exchange.onEnd(cut),
  }
}

export const downloadFile = (call: RouteCall, device: DeviceState, filePath: string): Promise<Download> =>
  announced(call, device, [filePath], (agent, streamId) =>
    agent.UploadFileToViewer({
      streamId,
      filePath,
      isDigestWanted: true,
      ...(call.isDigestWanted() && { isFileDigestWanted: true }),
      ...call.rest(),
    }),
  )

export async function downloadArchive(
  call: RouteCall,
  device: DeviceState,
  wanted: { archiveFileName: string; targetPaths: string[] },
): Promise<Download> {
  const archiveFileName = archiveNameOf(wanted.archiveFileName)
  if (archiveFileName === undefined) {
    throw badRequest('Archive file name is invalid.')
  }
  const { targetPaths } = wanted
  return await announced(
    call,
    device,
    targetPaths,
    (agent, streamId) => agent.UploadArchiveToViewer({ streamId, archiveFileName, targetPaths, isDigestWanted: true }),
    archiveFileName,
  )
}

/** Reads only files that the agent lists as logs: the right to read logs does not cover other files (T08). */
export async function logContents(call: RouteCall, device: DeviceState, filePath: string): Promise<Download> {
  const { logFileGroups } = await logFiles(call, device)
  const file = logFileGroups.flatMap((group) => group.logFiles).find(({ fullPath }) => fullPath === filePath)
  if (!file) {
    throw forbidden('This is none of the log files that the device lists.')
  }
  const limit = transferLimit(call.app)
  if (limit !== undefined && file.size > limit) {
    throw tooLarge(limit)
  }
  const exchange = new AgentExchange<Uint8Array>(call, {
    ...transfers,
    session: 'logs',
    // The agent may have reconnected since its list was requested.
    device: call.app.fleet.get(device.id) ?? device,
    answerMs: patienceMs,
    ask: (agent, streamId) => agent.StreamFileContents({ streamId, filePath }),
  })
  const { items } = await exchange.stream()
  await recordDownload(call, device, [filePath], file.size)
  return {
    file: { name: safeFileName(file.fileName), disposition: 'inline' },
    body: counted(items, limit === undefined ? {} : { most: limit }),
    onCut: (cut) => exchange.onEnd(cut),
  }
}
