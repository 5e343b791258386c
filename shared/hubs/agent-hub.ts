import { z } from 'zod'
import { bytes, id } from '../contract/fields.ts'
import { argument, defineHub } from '../contract/hub.ts'
import { DesktopPreviewRequestDto, DesktopSession } from '../dtos/desktop-session.ts'
import { DeviceResponseDto, DeviceUpdateRequestDto, SignedDeviceUpdateDto } from '../dtos/device.ts'
import {
  CreateDirectoryHubDto,
  DirectoryContentsStreamRequestHubDto,
  FileArchiveDownloadHubDto,
  FileDeleteHubDto,
  FileDownloadHubDto,
  FileDownloadResult,
  FileSystemEntryDto,
  FileUploadHubDto,
  GetLogFilesResult,
  GetPathSegmentsHubDto,
  GetRootDrivesRequestDto,
  GetRootDrivesResult,
  PathSegmentsResponseDto,
  StreamFileContentsRequestHubDto,
  SubdirectoriesStreamRequestHubDto,
  ValidateFilePathHubDto,
  ValidateFilePathResponseDto,
} from '../dtos/file-system.ts'
import { HubResult, hubResultOf } from '../dtos/hub-result.ts'
import { TerminalInputDto, TerminalOutputDto, TerminalSessionResult } from '../dtos/terminal.ts'

/** Agents send up to 100 in an item. */
const entries = z.array(FileSystemEntryDto).max(1000)

/** The server's name for the stream that it asked for. */
const streamId = argument('streamId', id)
const terminalId = argument('terminalId', id)
const viewerConnectionId = argument('viewerConnectionId', z.string())

/** The hub of device agents. The connection is anonymous: an accepted update proves which device it speaks for. */
export const agentHub = defineHub({
  path: '/hubs/agent',
  access: 'anonymous',
  methods: {
    UpdateDevice: {
      summary: 'Reports a device without a signature, as old agents do; only for devices that have no key.',
      access: 'anonymous',
      args: [DeviceUpdateRequestDto],
      returns: hubResultOf(DeviceResponseDto),
    },
    UpdateDeviceSigned: {
      summary: 'Reports a device: on connect, every five minutes, when asked, and when something changed.',
      access: 'anonymous',
      args: [SignedDeviceUpdateDto],
      returns: hubResultOf(DeviceResponseDto),
    },
    SendTerminalOutputToViewer: {
      summary: 'Hands on output of a terminal; the answer comes when the viewer has room for more.',
      access: 'agent',
      args: [viewerConnectionId, TerminalOutputDto],
    },
    SendDesktopPreviewStream: {
      summary: 'Sends the JPEG that `RequestDesktopPreview` asked for.',
      access: 'agent',
      args: [streamId],
      upload: bytes,
    },
    SendDirectoryContentsStream: {
      summary: 'Sends the entries that `StreamDirectoryContents` asked for, up to 100 in an item.',
      access: 'agent',
      args: [streamId, argument('directoryExists', z.boolean())],
      upload: entries,
    },
    SendFileContentStream: {
      summary: 'Sends the file that `StreamFileContents`, `UploadFileToViewer` or `UploadArchiveToViewer` asked for.',
      access: 'agent',
      args: [streamId],
      upload: bytes,
      returns: HubResult,
    },
    SendSubdirectoriesStream: {
      summary: 'Sends the entries that `StreamSubdirectories` asked for, up to 100 in an item.',
      access: 'agent',
      args: [streamId],
      upload: entries,
    },
    GetFileStreamFromViewer: {
      summary: 'Fetches the bytes of the file that `DownloadFileFromViewer` announced, with the same DTO.',
      access: 'agent',
      args: [FileUploadHubDto],
      streams: bytes,
    },
  },
  client: {
    CreateTerminalSession: {
      summary: 'Opens a terminal whose output goes to this viewer connection.',
      args: [terminalId, viewerConnectionId],
      returns: TerminalSessionResult,
    },
    ReceiveTerminalInput: {
      summary: 'Types into a terminal. One that is not open is refused; agents of other makers open it.',
      args: [TerminalInputDto],
      returns: TerminalSessionResult,
    },
    CloseTerminalSession: { summary: 'Ends a terminal.', args: [terminalId] },
    CreateDirectory: { summary: 'Makes a directory.', args: [CreateDirectoryHubDto], returns: HubResult },
    DeleteFile: { summary: 'Deletes a file or a directory.', args: [FileDeleteHubDto], returns: HubResult },
    DownloadFileFromViewer: {
      summary: 'Writes a file whose bytes the agent fetches with `GetFileStreamFromViewer`; answers when it is whole.',
      args: [FileUploadHubDto],
      returns: HubResult,
    },
    GetActiveDesktopSessions: { summary: 'Lists the desktops.', args: [], returns: z.array(DesktopSession) },
    GetLogFiles: { summary: 'Lists the log files that may be read.', args: [], returns: GetLogFilesResult },
    GetPathSegments: {
      summary: 'Takes a path apart by the rules of the device.',
      args: [GetPathSegmentsHubDto],
      returns: PathSegmentsResponseDto,
    },
    GetRootDrives: {
      summary: 'Lists where file paths begin.',
      args: [GetRootDrivesRequestDto],
      returns: GetRootDrivesResult,
    },
    RefreshDeviceInfo: { summary: 'Asks for an update of the device now.', args: [] },
    RequestDesktopPreview: {
      summary: 'Asks for a picture of a desktop by `SendDesktopPreviewStream`.',
      args: [DesktopPreviewRequestDto],
      returns: HubResult,
    },
    StreamDirectoryContents: {
      summary: 'Asks for the entries of a directory by `SendDirectoryContentsStream`.',
      args: [DirectoryContentsStreamRequestHubDto],
      returns: HubResult,
    },
    StreamFileContents: {
      summary: 'Asks for a log file by `SendFileContentStream`.',
      args: [StreamFileContentsRequestHubDto],
      returns: HubResult,
    },
    StreamSubdirectories: {
      summary: 'Asks for the directories in a directory by `SendSubdirectoriesStream`.',
      args: [SubdirectoriesStreamRequestHubDto],
      returns: HubResult,
    },
    UninstallAgent: {
      summary: 'Removes the agent from the device; the reason is for its log.',
      args: [argument('reason', z.string())],
    },
    UploadArchiveToViewer: {
      summary: 'Packs files into one zip and sends it by `SendFileContentStream`.',
      args: [FileArchiveDownloadHubDto],
      returns: FileDownloadResult,
    },
    UploadFileToViewer: {
      summary: 'Sends a file, or a directory as a zip, by `SendFileContentStream`.',
      args: [FileDownloadHubDto],
      returns: FileDownloadResult,
    },
    ValidateFilePath: {
      summary: 'Says whether a new file could have this name there.',
      args: [ValidateFilePathHubDto],
      returns: ValidateFilePathResponseDto,
    },
  },
})
