import { z } from 'zod'
import { dateTime, dto, id } from '../contract/fields.ts'
import { HubResult, hubResultOf } from './hub-result.ts'
import { deviceId } from './references.ts'

/** Path in the notation of the device, with its separators. */
export const devicePath = z
  .string()
  .min(1, 'must not be empty')
  .max(32_767)
  .refine((path) => !path.includes('\0'), 'must not contain a NUL character')

/** File size in bytes. */
const fileSize = z.number().int().min(0)

/** Largest number below 2^63: clients with 64-bit integers cannot parse a larger number. */
const maxDeviceSize = 2 ** 63 - 1024

/** File size reported by a device. Sparse files may exceed 2^53, which `int()` rejects. */
export const deviceSize = z
  .number()
  .min(0)
  .refine(Number.isInteger, 'must be an integer')
  .overwrite((size) => Math.min(size, maxDeviceSize))
  .meta({ type: 'integer' })

/** Version of a file's content. */
const etag = z.string().regex(/^[\w.-]{1,100}$/)

/** File or directory of a device. Names are untrusted text. */
export const FileSystemEntryDto = dto('FileSystemEntryDto', {
  name: z.string().describe('Last part of the path, exactly as the device spells it.'),
  fullPath: z.string().describe('Absolute path with the separators of the device; send it back unchanged.'),
  isDirectory: z.boolean().default(false).describe('Whether it is a directory, or a link to one.'),
  size: deviceSize.default(0).describe('Bytes; 0 for directories.'),
  lastModified: dateTime.describe(
    'Last change of the content, by the clock of the device; 1970 where the file system gives no usable date.',
  ),
  isHidden: z
    .boolean()
    .default(false)
    .describe('Whether the system hides it: a leading dot, or the hidden attribute of Windows.'),
  canRead: z.boolean().default(false).describe('Whether the agent can read it.'),
  canWrite: z.boolean().default(false).describe('Whether the agent can write it.'),
  hasSubfolders: z
    .boolean()
    .default(false)
    .describe(
      'Whether a directory has directories in it; true without a full search of a very large one. Always false for files.',
    ),
  isLink: z.boolean().optional().describe('The entry is a link; all values but its name are those of its target.'),
})

const isTruncated = z
  .boolean()
  .optional()
  .describe('True: there are more entries than those that are listed, at most 200,000 in 64 MiB. Otherwise left out.')

export const GetDirectoryContentsResponseDto = dto(
  'GetDirectoryContentsResponseDto',
  {
    directoryExists: z.boolean().describe('False for a path that is not a directory.'),
    entries: z.array(FileSystemEntryDto).describe('Files first, then directories, each by name.'),
    isTruncated,
  },
  { description: 'A directory that does not exist has no entries.' },
)

export const GetSubdirectoriesResponseDto = dto('GetSubdirectoriesResponseDto', {
  subdirectories: z.array(FileSystemEntryDto).describe('Directories only, by name.'),
  isTruncated,
})

export const GetRootDrivesRequestDto = dto('GetRootDrivesRequestDto', { deviceId })
export const GetRootDrivesResponseDto = dto('GetRootDrivesResponseDto', {
  drives: z
    .array(FileSystemEntryDto)
    .describe('Roots of the file system: `/` and mounted drives, or the drives of Windows.'),
})
export const GetRootDrivesResult = hubResultOf(GetRootDrivesResponseDto)

export const PathSegmentsResponseDto = dto('PathSegmentsResponseDto', {
  success: z.boolean().describe('Whether the path could be read as an absolute path.'),
  pathExists: z.boolean().default(false).describe('Whether something is at the path.'),
  pathSegments: z.array(z.string()).default([]).describe('Root first.'),
  pathSeparator: z.string().default('').describe('Of the system of the device.'),
  errorMessage: z.string().nullable().default(null).describe('Why `success` is false; null otherwise.'),
})

export const ValidateFilePathResponseDto = dto('ValidateFilePathResponseDto', {
  isValid: z.boolean().describe('Whether a new file can have this name there.'),
  errorMessage: z.string().default('').describe('Empty when the path is valid.'),
})

const LogFileDto = dto('LogFileEntryDto', {
  fileName: z.string().describe('Last part of the path.'),
  fullPath: z.string().describe('Absolute path on the device; send it as `filePath` to read the log.'),
  size: deviceSize.default(0).describe('Bytes, when it was listed.'),
  lastModified: dateTime.describe('Last change, by the clock of the device.'),
})

export const GetLogFilesResponseDto = dto('GetLogFilesResponseDto', {
  logFileGroups: z
    .array(
      dto('LogFileGroupDto', {
        groupName: z.string().describe('Program that writes these files, such as `Agent Logs`.'),
        logFiles: z.array(LogFileDto).describe('Log files of that program.'),
      }),
    )
    .describe('Log files by the program that writes them; only these can be read.'),
})
export const GetLogFilesResult = hubResultOf(GetLogFilesResponseDto)

/** Messages of the agent hub. A stream id is generated by the server, and valid for one stream of one agent. */
const directoryStreamRequest = z.object({ streamId: id, deviceId, directoryPath: z.string() })
export const DirectoryContentsStreamRequestHubDto = directoryStreamRequest.meta({
  id: 'DirectoryContentsStreamRequestHubDto',
})
export const SubdirectoriesStreamRequestHubDto = directoryStreamRequest.meta({
  id: 'SubdirectoriesStreamRequestHubDto',
})
export const GetPathSegmentsHubDto = dto('GetPathSegmentsHubDto', { targetPath: z.string() })
/** Key of a resumable upload, derived by the server from the principal and the upload's name. */
const uploadKey = z.string().regex(/^[0-9a-f]{64}$/)
/** SHA-256 of a whole file, in hexadecimal digits. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits')

/** User of the device, whose folders alone are written to. Names begin with no dash, which programs take for options. */
export const ownedBy = z
  .string()
  .max(256)
  .regex(/^[^-\p{Cc}]\P{Cc}*$/u)
  .describe(
    'For a folder that a desktop named: the `username` of the desktop. Files are written only to folders of this user.',
  )

export const UploadProgressHubDto = dto('UploadProgressHubDto', {
  receivedBytes: fileSize,
  sha256: sha256.optional().describe('Only of a file that is whole and has its name.'),
})

export const ValidateFilePathHubDto = dto('ValidateFilePathHubDto', {
  directoryPath: z.string(),
  fileName: z.string(),
  upload: z
    .object({ uploadKey, fileSize, isCanceled: z.boolean().default(false) })
    .optional()
    .describe('How much of this upload is here, where this is understood; canceled: it is removed.'),
})
export const ValidateFilePathHubResponseDto = ValidateFilePathResponseDto.extend({
  upload: UploadProgressHubDto.optional(),
}).meta({ id: 'ValidateFilePathHubResponseDto' })
export const CreateDirectoryHubDto = dto('CreateDirectoryHubDto', { parentPath: z.string(), directoryName: z.string() })
export const FileDeleteHubDto = dto(
  'FileDeleteHubDto',
  { targetPath: z.string() },
  { description: 'A directory goes with all that is in it.' },
)
export const StreamFileContentsRequestHubDto = dto('StreamFileContentsRequestHubDto', {
  streamId: id,
  filePath: z.string(),
})

export const FileUploadHubDto = dto('FileUploadHubDto', {
  streamId: id,
  targetDirectoryPath: z.string(),
  fileName: z.string(),
  fileSize,
  overwrite: z.boolean().default(false),
  ownedBy: ownedBy.optional(),
  checkedStreamId: id
    .optional()
    .describe(
      'To be fetched instead of `streamId`, where this is understood: one more item has the SHA-256 of all others.',
    ),
  resume: z
    .object({
      uploadKey,
      streamId: id.describe('Of the bytes from `offset` on, and their SHA-256 as one more item.'),
      offset: fileSize,
      sha256: sha256.optional().describe('SHA-256 that the whole file must have.'),
    })
    .optional()
    .describe(
      'A piece of a resumable upload. Neither of the other ids names a stream then: an agent that does not ' +
        'support resuming fails.',
    ),
})
export const FileUploadResult = HubResult.extend({
  upload: UploadProgressHubDto.optional().describe('Progress of the upload, if resuming was requested.'),
})
export const FileDownloadHubDto = dto('FileDownloadHubDto', {
  streamId: id,
  filePath: z.string().describe('A directory comes as a zip.'),
  offset: fileSize.optional().describe('Only the bytes from this one on, where this is understood.'),
  etag: etag.optional().describe('What `offset` is in; all bytes are sent when it has changed.'),
  isDigestWanted: z.boolean().optional().describe('An item more, with the SHA-256 of those before it.'),
  isFileDigestWanted: z
    .boolean()
    .optional()
    .describe('The answer has the SHA-256 of the whole file, read before it is sent; not of a directory.'),
})
export const FileArchiveDownloadHubDto = dto('FileArchiveDownloadHubDto', {
  streamId: id,
  archiveFileName: z.string(),
  targetPaths: z.array(z.string()),
  isDigestWanted: z.boolean().optional(),
})
export const FileDownloadResponseHubDto = dto('FileDownloadResponseHubDto', {
  fileSize: deviceSize,
  fileDisplayName: z.string().default(''),
  etag: etag.optional().describe('Names this content of the file.'),
  offset: fileSize.optional().describe('Where the bytes that are sent begin, when it is not the beginning.'),
  hasDigest: z.boolean().optional().describe('The last item is the SHA-256 of those before it.'),
  sha256: sha256.optional().describe('Of the whole file, when it was asked for.'),
})
export const FileDownloadResult = hubResultOf(FileDownloadResponseHubDto)
export type FileDownloadResult = z.output<typeof FileDownloadResult>

/** A file that a viewer sends over its hub connection. */
export const FileUploadMetadata = dto('FileUploadMetadata', {
  deviceId,
  targetDirectory: devicePath,
  fileName: z.string(),
  fileSize,
  contentType: z.string().default(''),
  overwrite: z.boolean().default(false),
})
export type FileUploadMetadata = z.output<typeof FileUploadMetadata>

/** A file that is uploaded in any number of pieces. */
export const UploadNameDto = dto('UploadNameDto', {
  targetDirectory: devicePath.describe('Absolute path of a directory on the device.'),
  fileName: devicePath.describe('Name that the file gets there; no separators.'),
  fileSize: fileSize.describe("Bytes of the whole file; at most the server's transfer limit."),
})
export type UploadNameDto = z.output<typeof UploadNameDto>

export const UploadStateDto = dto('UploadStateDto', {
  canResume: z.boolean().describe('When not, send the file as a form.'),
  receivedBytes: fileSize.describe('Offset at which the upload resumes.'),
  isDone: z.boolean().describe('The file is whole and has its name.'),
  sha256: sha256.optional().describe('Of a file that is done, as the device has written it.'),
  problem: z.string().optional().describe('Why no new file can have this name there; it may be overwritten.'),
})
