import { z } from 'zod'
import { dateTime, dto, id } from '../contract/fields.ts'
import { devicePath, deviceSize, ownedBy, sha256 } from './file-system.ts'
import { reservedPrefix } from './run-command.ts'

/** Messages about files between this server and this product's agent inside `ReceiveDto`. */
export const runFileOperationType = `${reservedPrefix}run-file-operation`
export const fileOperationStateType = `${reservedPrefix}file-operation-state`
export const endFileOperationType = `${reservedPrefix}end-file-operation`

/** Maximum number of entries that one operation copies or moves. */
export const maxOperationItems = 1_000

const count = z.number().int().min(0)

const FileOperationItemDto = dto('FileOperationItemDto', {
  path: devicePath.describe(
    'Absolute path of a file, a folder or a link. A link itself is copied or moved, never its target.',
  ),
  name: devicePath.describe('Name in the target directory; no separators.'),
  overwrite: z
    .boolean()
    .default(false)
    .describe('Replace a file of the same name. A folder is never replaced, and never replaces anything.'),
})

export const FileOperationDto = dto('FileOperationDto', {
  kind: z.enum(['copy', 'move']).describe('A move within a directory renames.'),
  targetDirectory: devicePath.describe('Absolute path of an existing directory.'),
  items: z.array(FileOperationItemDto).min(1).max(maxOperationItems).describe('1 to 1,000 entries, in this order.'),
})
export type FileOperationDto = z.output<typeof FileOperationDto>

export const FileOperationStateDto = dto('FileOperationStateDto', {
  isEnded: z.boolean().describe('True in the last line.'),
  files: count.describe('Copied files; of a move, only those that went to another file system.'),
  totalFiles: count.describe('Files found so far.'),
  bytes: count.describe('Copied bytes.'),
  totalBytes: count.describe('Bytes of the files found so far.'),
  problems: z
    .array(z.string().nullable())
    .max(maxOperationItems)
    .optional()
    .describe('In the last line, for each item: why it was not copied or moved, or null.'),
})
export type FileOperationStateDto = z.output<typeof FileOperationStateDto>

/** Key of an operation, derived by the server from the principal and the id that its client chose. */
const operationKey = z.string().regex(/^[0-9a-f]{64}$/)

export const RunFileOperation = FileOperationDto.extend({
  operationKey,
  /** Equal for all operations of a principal. */
  ownerKey: operationKey.optional(),
})
export type RunFileOperation = z.output<typeof RunFileOperation>
export const NamedFileOperation = z.object({ operationKey })

/** Maximum number of files that one request carries, and of their bytes. */
export const maxSmallFiles = 250
export const maxSmallFileBytes = 8 * 1024 * 1024

const SmallFileDto = dto('SmallFileDto', {
  targetDirectory: devicePath.describe('Absolute path of an existing directory on the device.'),
  fileName: devicePath.describe('Name that the file gets there; no separators.'),
  isFolder: z
    .boolean()
    .optional()
    .describe('Make an empty folder instead; one that is there counts as made. `fileSize` is 0.'),
  fileSize: count.max(maxSmallFileBytes).describe('Bytes of the file.'),
  sha256: sha256.describe('Of the file: compared before it gets its name.'),
  overwrite: z.boolean().default(false).describe('Replace a file of the same name.'),
  replaces: sha256
    .optional()
    .describe('With `overwrite`: replace only a file whose content has this SHA-256, as it was before it was edited.'),
})
export type SmallFileDto = z.output<typeof SmallFileDto>

/** Problem of a file whose content is no longer that which `replaces` names. */
export const changedMeanwhile = 'The file has changed on the device since it was opened.'

/** Head of a body that carries several files; their bytes follow in the same order. */
export const SmallFilesDto = z.object({
  files: z.array(SmallFileDto).min(1).max(maxSmallFiles),
  ownedBy: ownedBy.optional(),
})

export const SmallFilesResultDto = dto('SmallFilesResultDto', {
  problems: z
    .array(z.string().nullable())
    .max(maxSmallFiles)
    .describe(
      'For each file, in the order of the request: why it was not written, or null. A file with the same content counts as written.',
    ),
})

export const receiveFilesType = `${reservedPrefix}receive-files`
export const ReceiveFiles = SmallFilesDto.extend({ streamId: id })
export type ReceiveFiles = z.output<typeof ReceiveFiles>

export const fileFactsType = `${reservedPrefix}file-facts`
export const FileFactsRequestDto = dto('FileFactsRequestDto', {
  path: devicePath.describe('Absolute path. A link is described itself.'),
  isHashWanted: z
    .boolean()
    .default(false)
    .describe('Read the whole file for its SHA-256; needs `device.file-system.transfer-download` besides.'),
})
export type FileFactsRequestDto = z.output<typeof FileFactsRequestDto>

const mode = z.number().int().min(0)

export const FileFactsDto = dto('FileFactsDto', {
  kind: z.enum(['file', 'directory', 'link', 'other']).describe('`other`: a pipe, a socket or a device.'),
  size: deviceSize.describe('Bytes; 0 unless it is a file.'),
  createdAt: dateTime.optional().describe('Where the file system has it.'),
  modifiedAt: dateTime.optional().describe('Last change of the content.'),
  accessedAt: dateTime.optional().describe('Last reading, as far as the file system notes it.'),
  mode: mode.max(0o7777).optional().describe('Permission bits, where the system has them.'),
  owner: z.string().max(1000).optional().describe('Name of the owner, or its number.'),
  group: z.string().max(1000).optional().describe('Name of the group, or its number.'),
  linkTarget: z.string().max(32_767).optional().describe('Path that a link holds.'),
  sha256: sha256.optional().describe('Of a file, if it was asked for.'),
})
export type FileFactsDto = z.output<typeof FileFactsDto>

export const setFileModeType = `${reservedPrefix}set-file-mode`
export const FileModeDto = dto('FileModeDto', {
  path: devicePath.describe('Absolute path of a file or a directory.'),
  mode: mode.max(0o777).describe('Permission bits as a number: 420 is 644 in octal digits. Special bits are removed.'),
})
export type FileModeDto = z.output<typeof FileModeDto>

/** Maximum number of lines with which following a file begins. */
export const maxFollowedLines = 5_000

export const FollowFileDto = z.object({
  path: devicePath.describe('Absolute path of a file; links are followed.'),
  lines: z.coerce
    .number()
    .int()
    .min(1)
    .max(maxFollowedLines)
    .default(200)
    .describe('Lines at the end of the file to begin with, at most 1 MiB.'),
})
export const followFileType = `${reservedPrefix}follow-file`
export const FollowFile = FollowFileDto.extend({ streamId: id })
export type FollowFile = z.output<typeof FollowFile>

export const FollowedDto = dto('FollowedDto', {
  text: z.string().max(65_536).optional().describe('Text that was appended, not cut at lines.'),
  note: z
    .enum(['rotated', 'truncated', 'skipped'])
    .optional()
    .describe(
      'What happened before the next text: `rotated`: another file has the name; `truncated`: the file became shorter; ' +
        '`skipped`: it grew too fast, and a part was left out.',
    ),
})
export type FollowedDto = z.output<typeof FollowedDto>

/** Answer of our agent to a message about files. */
export const FileAnswerDto = dto('FileAnswerDto', {
  facts: FileFactsDto.optional().describe('Description of a file.'),
  received: SmallFilesResultDto.optional().describe('End of an upload of several files.'),
  operation: FileOperationStateDto.optional().describe('State of a running operation, or the end of one.'),
})
export type FileAnswerDto = z.output<typeof FileAnswerDto>
