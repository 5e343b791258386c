import type { z } from 'zod'
import { parseJson } from '../../shared/contract/parse-json.ts'
import type { IncomingBytes } from '../../shared/contract/transfer.ts'
import {
  maxSmallFileBytes,
  maxSmallFiles,
  receiveFilesType,
  SmallFilesDto,
  type SmallFileDto,
  type SmallFilesResultDto,
} from '../../shared/dtos/file-messages.ts'
import type { RouteCall } from '../call/call.ts'
import { badRequest, invalid } from '../ground/errors.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { openTransfer } from '../devices/device-transfers.ts'
import { agentMessage, agentOf, deviceFailed, explainFailure } from '../devices/calls.ts'
import { JoinedBytes } from '../engines/flow/joined-bytes.ts'
import { tooLarge } from '../engines/http/contract/multipart.ts'
import { Lifetime, transferLifetimeMs } from '../remote/agent-exchange.ts'
import { fileAnswerOf } from './file-messages.ts'
import { transferLimit } from './transfer-limit.ts'
import { isFileName, uploadOver } from './uploads.ts'

/** Maximum length of the JSON at the beginning of the body. */
const maxHeadBytes = 512 * 1024
const lengthBytes = 4

const badHead = badRequest('The body must begin with its length and the list of the files.')

interface Body {
  files: readonly SmallFileDto[]
  ownedBy: string | undefined
  bytes: AsyncIterable<Uint8Array>
  size: number
}

/** Reads the list of files at the beginning of the body. Throws 400. */
async function opened(body: IncomingBytes): Promise<Body> {
  const chunks = body.read(lengthBytes + maxHeadBytes + maxSmallFileBytes)[Symbol.asyncIterator]()
  const start = new JoinedBytes()
  const fill = async (length: number) => {
    while (start.length < length) {
      const next = await chunks.next()
      if (next.done) {
        throw badHead
      }
      start.add(next.value)
    }
    return start.bytes
  }
  const headBytes = (await fill(lengthBytes)).readUInt32BE()
  if (headBytes > maxHeadBytes) {
    throw badHead
  }
  const head = await fill(lengthBytes + headBytes)
  const list = SmallFilesDto.safeParse(listIn(head.toString('utf8', lengthBytes, lengthBytes + headBytes)))
  if (!list.success) {
    throw badHead
  }
  const { files, ownedBy } = list.data
  const total = files.reduce((sum, { fileSize }) => sum + fileSize, 0)
  async function* rest() {
    let left = total
    let chunk: Uint8Array = head.subarray(lengthBytes + headBytes)
    for (;;) {
      left -= chunk.length
      if (left < 0) {
        throw badRequest('The body is longer than its files.')
      }
      if (chunk.length > 0) {
        yield chunk
      }
      const next = await chunks.next()
      if (next.done) {
        break
      }
      chunk = next.value
    }
    if (left > 0) {
      throw badRequest('The body is shorter than its files.')
    }
  }
  if (total > maxSmallFileBytes) {
    throw tooLarge(maxSmallFileBytes)
  }
  return { files, ownedBy, bytes: rest(), size: total }
}

/** Returns the list in a text; undefined where it is longer than permitted, because each entry takes time (T26). */
function listIn(text: string): unknown {
  const list = parseJson(text) as { files?: unknown } | null | undefined
  return Array.isArray(list?.files) && list.files.length > maxSmallFiles ? undefined : list
}

function checkFiles(files: readonly SmallFileDto[], limit = Infinity): void {
  if (files.some(({ fileSize }) => fileSize > limit)) {
    throw tooLarge(limit)
  }
  if (!files.every(({ fileName }) => isFileName(fileName))) {
    throw invalid({ fileName: ['must be a name that files can have'] })
  }
}

type Outcome = z.output<typeof SmallFilesResultDto>

/** Has the agent fetch and write the files. */
async function send(
  call: RouteCall,
  device: DeviceState,
  { files, ownedBy, bytes, size }: Body,
  life: Lifetime,
): Promise<Outcome> {
  const { app } = call
  const agent = agentOf(device)
  async function* counted() {
    try {
      for await (const chunk of bytes) {
        await life.pass()
        life.bytesToDevice += chunk.length
        yield chunk
      }
    } catch (error) {
      life.end(error as Error)
      throw error
    }
  }
  const streamId = app.streams.offer(agent.connectionId, counted(), life.signal)
  try {
    const asked = app.hubs.agent
      .invoke(agent.connectionId, life.signal)
      .ReceiveDto(agentMessage(receiveFilesType, { streamId, files, ownedBy }))
    const { received } = fileAnswerOf(await life.race(asked))
    if (life.bytesToDevice < size) {
      throw deviceFailed('The device answered before it had all files.')
    }
    if (received?.problems.length !== files.length) {
      throw deviceFailed('The device did not report what it wrote.')
    }
    return received
  } catch (error) {
    throw life.signal.aborted ? life.signal.reason : explainFailure(app, agent, error)
  }
}

/** Records each file, also of a request whose end is unknown. */
const record = (
  { app, actor, principal }: RouteCall,
  device: DeviceState,
  files: Body['files'],
  reasonOf: (index: number) => string | null,
) =>
  Promise.all(
    files.map(({ fileName, targetDirectory, fileSize, isFolder }, index) => {
      const reason = reasonOf(index)
      const shared = { outcome: reason === null ? 'success' : 'failure', device } as const
      if (isFolder) {
        const target = { kind: 'file', name: `${targetDirectory} ${fileName}` } as const
        return app.audit.record(actor, { ...shared, kind: 'file.folder-created', target, details: { reason } })
      }
      if (reason === null) {
        app.recorders.mark(principal, device.id, 'upload', fileName)
      }
      return app.audit.record(actor, {
        ...shared,
        kind: 'file.uploaded',
        target: { kind: 'file', name: fileName },
        details: { folder: targetDirectory, bytes: fileSize, reason },
      })
    }),
  )

/** Sends several small files to a device with one call. Returns why some were not written. */
export async function sendSmallFiles(call: RouteCall, device: DeviceState, body: IncomingBytes): Promise<Outcome> {
  const held = openTransfer(call, device)
  const life = new Lifetime(call, transferLifetimeMs, { kind: 'upload', device })
  life.signal.addEventListener('abort', () => body.cancel(life.signal.reason as Error))
  try {
    const sent = await life.race(opened(body))
    checkFiles(sent.files, transferLimit(call.app))
    try {
      const outcome = await send(call, device, sent, life)
      await record(call, device, sent.files, (index) => outcome.problems[index] ?? null)
      life.isDone = true
      return outcome
    } catch (error) {
      await record(call, device, sent.files, () => (error as Error).message)
      throw error
    }
  } finally {
    held.close()
    life.end(uploadOver)
  }
}
