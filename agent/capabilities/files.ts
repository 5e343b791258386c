import { createHash, type Hash } from 'node:crypto'
import type { HubClientHandlers } from '../../shared/contract/hub.ts'
import { failure, failureOf, success, successOf, type HubResult } from '../../shared/dtos/hub-result.ts'
import type { agentHub } from '../../shared/hubs/agent-hub.ts'
import type { Clock } from '../clock.ts'
import type { AgentHubMethods } from '../connection.ts'
import type { Log } from '../log.ts'
import type { Entry } from './files/entries.ts'
import { writeIncoming } from './files/incoming.ts'
import { listDirectory, listSubdirectories } from './files/listing.ts'
import { logFiles, type LogFolder } from './files/logs.ts'
import { absolutePath } from './files/names.ts'
import type { PartFiles } from './files/parts.ts'
import { createDirectory, pathSegments, rootDrives, validatePath } from './files/paths.ts'
import { reasonOf, Refusal } from './files/reasons.ts'
import { ResumableUploads } from './files/resumable.ts'
import { archiveSource, sourceOf, type Source } from './files/sources.ts'
import { deletePath } from './files/trees.ts'

type Handlers = Pick<
  HubClientHandlers<typeof agentHub>,
  | 'CreateDirectory'
  | 'DeleteFile'
  | 'DownloadFileFromViewer'
  | 'GetLogFiles'
  | 'GetPathSegments'
  | 'GetRootDrives'
  | 'StreamDirectoryContents'
  | 'StreamFileContents'
  | 'StreamSubdirectories'
  | 'UploadArchiveToViewer'
  | 'UploadFileToViewer'
  | 'ValidateFilePath'
>

export interface FilePorts {
  clock: Clock
  log: Log
  server: () => Pick<
    AgentHubMethods,
    'GetFileStreamFromViewer' | 'SendDirectoryContentsStream' | 'SendFileContentStream' | 'SendSubdirectoriesStream'
  >
  /** Whose `.log` files may be read as logs. */
  logFolders: readonly LogFolder[]
  /** Notes of files that are on their way in. */
  parts: PartFiles
}

const pieceBytes = 30 * 1024
const longestTransferMs = 30 * 60_000
const longestListingMs = 30_000

/** Bytes in pieces of 30 KiB, each a copy, for the reader uses its memory again; with a hash, then that of all of them. */
async function* inPieces(bytes: AsyncIterable<Uint8Array>, hash?: Hash): AsyncIterable<Uint8Array> {
  let rest = Buffer.alloc(0)
  for await (const chunk of bytes) {
    hash?.update(chunk)
    const block =
      rest.length > 0 ? Buffer.concat([rest, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    let at = 0
    for (; at + pieceBytes <= block.length; at += pieceBytes) {
      yield Buffer.from(block.subarray(at, at + pieceBytes))
    }
    rest = Buffer.from(block.subarray(at))
  }
  if (rest.length > 0) {
    yield rest
  }
  if (hash) {
    yield hash.digest()
  }
}

/** The items until the time is over. */
async function* limited<T>(clock: Clock, ms: number, items: AsyncIterable<T>): AsyncIterable<T> {
  const until = clock.now() + ms
  for await (const item of items) {
    if (clock.now() > until) {
      throw new Error('It took too long.')
    }
    yield item
  }
}

const missing = ['ENOENT', 'ENOTDIR']

async function* nothing(): AsyncIterable<Entry[]> {}

/** What the server asks about files: listings, transfers, and changes. */
export function fileHandlers({ clock, log, server, logFolders, parts }: FilePorts): Handlers {
  const uploads = new ResumableUploads(parts)
  /** Sends while the answer is on its way; a failure from then on is told by the stream. */
  const sendInBackground = (streamId: string, { bytes }: Source, hash?: Hash) => {
    server()
      .SendFileContentStream(streamId, limited(clock, longestTransferMs, inPieces(bytes, hash)))
      .catch((error: unknown) => log.warn({ streamId, error }, 'A file was not sent to its end'))
  }

  const offer = async (
    { streamId, isDigestWanted = false }: { streamId: string; isDigestWanted?: boolean | undefined },
    target: string,
    makeSource: () => Promise<Source>,
  ) => {
    try {
      const source = await makeSource()
      const { size: fileSize, name: fileDisplayName, etag, offset, sha256 } = source
      sendInBackground(streamId, source, isDigestWanted ? createHash('sha256') : undefined)
      return successOf({ fileSize, fileDisplayName, etag, offset, sha256, hasDigest: isDigestWanted })
    } catch (error) {
      return failureOf(reasonOf(error, target))
    }
  }

  const list = async (
    path: string,
    read: (path: string) => Promise<AsyncIterable<Entry[]>>,
    send: (exists: boolean, entries: AsyncIterable<Entry[]>) => Promise<void>,
  ): Promise<HubResult> => {
    try {
      const directory = absolutePath(path)
      if (directory === undefined) {
        throw new Refusal('The path must begin at a root.')
      }
      const entries = await read(directory).catch((error: NodeJS.ErrnoException) => {
        if (missing.includes(error.code ?? '')) {
          return undefined
        }
        throw error
      })
      await send(entries !== undefined, limited(clock, longestListingMs, entries ?? nothing()))
      return success
    } catch (error) {
      return failure(reasonOf(error, path))
    }
  }

  return {
    StreamDirectoryContents: ({ streamId, directoryPath }) =>
      list(directoryPath, listDirectory, (exists, entries) =>
        server().SendDirectoryContentsStream(streamId, exists, entries),
      ),
    StreamSubdirectories: ({ streamId, directoryPath }) =>
      list(directoryPath, listSubdirectories, (_, entries) => server().SendSubdirectoriesStream(streamId, entries)),
    GetRootDrives: async () => successOf({ drives: await rootDrives() }),
    GetPathSegments: ({ targetPath }) => pathSegments(targetPath),
    async ValidateFilePath({ directoryPath, fileName, upload }) {
      const valid = await validatePath(directoryPath, fileName)
      if (!upload) {
        return valid
      }
      const { isCanceled, ...which } = upload
      const name = { ...which, targetDirectoryPath: directoryPath, fileName }
      if (isCanceled) {
        log.info({ directoryPath, fileName }, 'An upload was canceled')
        await uploads.cancel(name)
      }
      return { ...valid, upload: await uploads.progress(name) }
    },
    async CreateDirectory({ parentPath, directoryName }) {
      log.info({ parentPath, directoryName }, 'Creating a directory')
      return await createDirectory(parentPath, directoryName)
    },
    async DeleteFile({ targetPath }) {
      log.info({ targetPath }, 'Deleting')
      return await deletePath(targetPath)
    },
    UploadFileToViewer: (request) => offer(request, request.filePath, () => sourceOf(request.filePath, request)),
    UploadArchiveToViewer({ archiveFileName, targetPaths, ...request }) {
      return offer(request, targetPaths[0] ?? '', () => archiveSource(archiveFileName, targetPaths))
    },
    async DownloadFileFromViewer(request) {
      const { targetDirectoryPath, fileName, streamId, checkedStreamId = streamId, resume } = request
      log.info({ targetDirectoryPath, fileName, offset: resume?.offset }, 'Writing a file')
      const fetched = (id: string) => () =>
        limited(clock, longestTransferMs, server().GetFileStreamFromViewer({ ...request, streamId: id }))
      return resume
        ? await uploads.write(request, resume, fetched(resume.streamId))
        : await writeIncoming(parts, request, fetched(checkedStreamId))
    },
    GetLogFiles: async () => successOf({ logFileGroups: await logFiles(logFolders) }),
    async StreamFileContents({ streamId, filePath }) {
      const groups = await logFiles(logFolders)
      if (!groups.some((group) => group.logFiles.some(({ fullPath }) => fullPath === filePath))) {
        return failure('This is none of the log files that this device lists.')
      }
      try {
        sendInBackground(streamId, await sourceOf(filePath))
        return success
      } catch (error) {
        return failure(reasonOf(error, filePath))
      }
    },
  }
}
