import { z } from 'zod'
import { bytes, id } from '../contract/fields.ts'
import { defineHub } from '../contract/hub.ts'
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

/** The hub of device agents. The connection is anonymous: an accepted update proves which device it speaks for. */
export const agentHub = defineHub({
  path: '/hubs/agent',
  access: 'anonymous',
  methods: {
    UpdateDevice: { access: 'anonymous', args: [DeviceUpdateRequestDto], returns: hubResultOf(DeviceResponseDto) },
    UpdateDeviceSigned: { access: 'anonymous', args: [SignedDeviceUpdateDto], returns: hubResultOf(DeviceResponseDto) },
    SendTerminalOutputToViewer: { access: 'agent', args: [z.string(), TerminalOutputDto] },
    // The first argument of a `Send…Stream` is the stream id that the server asked with.
    SendDesktopPreviewStream: { access: 'agent', args: [id], upload: bytes },
    SendDirectoryContentsStream: { access: 'agent', args: [id, z.boolean()], upload: z.array(FileSystemEntryDto) },
    SendFileContentStream: { access: 'agent', args: [id], upload: bytes, returns: HubResult },
    SendSubdirectoriesStream: { access: 'agent', args: [id], upload: z.array(FileSystemEntryDto) },
    GetFileStreamFromViewer: { access: 'agent', args: [FileUploadHubDto], streams: bytes },
  },
  client: {
    CreateTerminalSession: { args: [id, z.string()], returns: TerminalSessionResult },
    ReceiveTerminalInput: { args: [TerminalInputDto], returns: TerminalSessionResult },
    CloseTerminalSession: { args: [id] },
    CreateDirectory: { args: [CreateDirectoryHubDto], returns: HubResult },
    DeleteFile: { args: [FileDeleteHubDto], returns: HubResult },
    DownloadFileFromViewer: { args: [FileUploadHubDto], returns: HubResult },
    GetActiveDesktopSessions: { args: [], returns: z.array(DesktopSession) },
    GetLogFiles: { args: [], returns: GetLogFilesResult },
    GetPathSegments: { args: [GetPathSegmentsHubDto], returns: PathSegmentsResponseDto },
    GetRootDrives: { args: [GetRootDrivesRequestDto], returns: GetRootDrivesResult },
    RefreshDeviceInfo: { args: [] },
    RequestDesktopPreview: { args: [DesktopPreviewRequestDto], returns: HubResult },
    StreamDirectoryContents: { args: [DirectoryContentsStreamRequestHubDto], returns: HubResult },
    StreamFileContents: { args: [StreamFileContentsRequestHubDto], returns: HubResult },
    StreamSubdirectories: { args: [SubdirectoriesStreamRequestHubDto], returns: HubResult },
    UninstallAgent: { args: [z.string()] },
    UploadArchiveToViewer: { args: [FileArchiveDownloadHubDto], returns: FileDownloadResult },
    UploadFileToViewer: { args: [FileDownloadHubDto], returns: FileDownloadResult },
    ValidateFilePath: { args: [ValidateFilePathHubDto], returns: ValidateFilePathResponseDto },
  },
})
