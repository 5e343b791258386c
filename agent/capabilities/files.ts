import type { HubClientHandlers } from '../../shared/contract/hub.ts'
import { failure, success, successOf } from '../../shared/dtos/hub-result.ts'
import type { agentHub } from '../../shared/hubs/agent-hub.ts'
import type { Clock } from '../base/clock.ts'
import type { AgentHubMethods } from '../link/connection.ts'
import type { Log } from '../base/log.ts'
import { archiveSource } from './files/archive.ts'
import { targetOf } from './files/entries.ts'
import { writeIncoming } from './files/incoming.ts'
import { listDirectory, listSubdirectories } from './files/listing.ts'
import { logFiles, type LogFolder } from './files/logs.ts'
import type { PartFiles } from './files/parts.ts'
import { createDirectory, pathSegments, rootDrives, validatePath } from './files/paths.ts'
import { reasonOf } from './files/reasons.ts'
import { ResumableUploads } from './files/resumable.ts'
import { FileSending, limitedTransfer } from './files/sending.ts'
import { sourceOf } from './files/sources.ts'
import { deletePath } from './files/trees.ts'

export type FileHandlers = Pick<
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

export interface FileDependencies {
  clock: Clock
  log: Log
  server: () => Pick<
    AgentHubMethods,
    'GetFileStreamFromViewer' | 'SendDirectoryContentsStream' | 'SendFileContentStream' | 'SendSubdirectoriesStream'
  >
  /** Folders whose `.log` files may be read as logs. */
  logFolders: readonly LogFolder[]
  /** Notes of unfinished uploads. */
  parts: PartFiles
}

/** Handlers for the server's file requests: listings, transfers, and changes. */
export function fileHandlers({ clock, log, server, logFolders, parts }: FileDependencies): FileHandlers {
  const uploads = new ResumableUploads(parts)
  const sending = new FileSending({ clock, log, server })

  return {
    StreamDirectoryContents: ({ streamId, directoryPath }) =>
      sending.list(directoryPath, listDirectory, (exists, entries) =>
        server().SendDirectoryContentsStream(streamId, exists, entries),
      ),
    StreamSubdirectories: ({ streamId, directoryPath }) =>
      sending.list(directoryPath, listSubdirectories, (_, entries) =>
        server().SendSubdirectoriesStream(streamId, entries),
      ),
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
    async UploadFileToViewer(request) {
      const { filePath } = request
      const makeSource = () => sourceOf(filePath, request)
      return (await targetOf(filePath))?.isDirectory() === true
        ? await sending.offerArchive(request, filePath, makeSource)
        : await sending.offer(request, filePath, makeSource)
    },
    UploadArchiveToViewer({ archiveFileName, targetPaths, ...request }) {
      return sending.offerArchive(request, targetPaths[0] ?? '', () => archiveSource(archiveFileName, targetPaths))
    },
    async DownloadFileFromViewer(request) {
      const { targetDirectoryPath, fileName, streamId, checkedStreamId = streamId, resume } = request
      log.info({ targetDirectoryPath, fileName, offset: resume?.offset }, 'Writing a file')
      const fetched = (id: string) => () =>
        limitedTransfer(clock, server().GetFileStreamFromViewer({ ...request, streamId: id }))
      return resume
        ? await uploads.write(request, resume, fetched(resume.streamId))
        : await writeIncoming(parts, request, fetched(checkedStreamId))
    },
    GetLogFiles: async () => successOf({ logFileGroups: await logFiles(logFolders) }),
    async StreamFileContents({ streamId, filePath }) {
      const groups = await logFiles(logFolders)
      if (!groups.some((group) => group.logFiles.some(({ fullPath }) => fullPath === filePath))) {
        return failure('This device lists no log file with this path.')
      }
      try {
        void sending.send(streamId, await sourceOf(filePath))
        return success
      } catch (error) {
        return failure(reasonOf(error, filePath))
      }
    },
  }
}
