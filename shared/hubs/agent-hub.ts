import { z } from 'zod'
import { bytes, id, shortText } from '../contract/fields.ts'
import { argument, defineHub } from '../contract/hub.ts'
import { ChatMessageHubDto, ChatResponseHubDto } from '../dtos/chat.ts'
import { ConsentAnswers } from '../dtos/consent.ts'
import { DesktopPreviewRequestDto, DesktopSession } from '../dtos/desktop-session.ts'
import { DtoWrapper, PowerStateChangeType, StopReason, WakeDeviceDto } from '../dtos/device-commands.ts'
import { DeviceResponseDto, DeviceUpdateRequestDto, SignedDeviceUpdateDto } from '../dtos/device.ts'
import { FileAnswerDto } from '../dtos/file-messages.ts'
import {
  CreateDirectoryHubDto,
  DirectoryContentsStreamRequestHubDto,
  FileArchiveDownloadHubDto,
  FileDeleteHubDto,
  FileDownloadHubDto,
  FileDownloadResult,
  FileSystemEntryDto,
  FileUploadHubDto,
  FileUploadResult,
  GetLogFilesResult,
  GetPathSegmentsHubDto,
  GetRootDrivesRequestDto,
  GetRootDrivesResult,
  PathSegmentsResponseDto,
  StreamFileContentsRequestHubDto,
  SubdirectoriesStreamRequestHubDto,
  ValidateFilePathHubDto,
  ValidateFilePathHubResponseDto,
} from '../dtos/file-system.ts'
import { HubResult, hubResultOf } from '../dtos/hub-result.ts'
import { CommandEndDto } from '../dtos/run-command.ts'
import { PowerStateDto } from '../dtos/power-order.ts'
import { PwshCompletionsRequestDto, PwshCompletionsResult } from '../dtos/pwsh-completions.ts'
import {
  InvokeCtrlAltDelRequestDto,
  processId,
  RemoteControlSessionRequestDto,
  tcpPort,
  VncSessionRequestDto,
} from '../dtos/remote-control.ts'
import { WrongIdentityDto } from '../server-identity.ts'
import { OpenTerminalDto, TerminalInputDto, TerminalOutputDto, TerminalSessionResult } from '../dtos/terminal.ts'

/** Agents send up to 100 entries per item. */
const entries = z.array(FileSystemEntryDto).max(1000)

/** Id of a stream that the server requested. */
const streamId = argument('streamId', id)
const terminalId = argument('terminalId', id)
const viewerConnectionId = argument('viewerConnectionId', z.string())

/** The hub of device agents. The connection is anonymous: an accepted update proves which device it represents. */
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
    SendChatResponse: {
      summary: 'Hands on an answer of the person at the device; true when the viewer has shown it.',
      access: 'agent',
      args: [ChatResponseHubDto],
      returns: z.boolean(),
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
    SendStopNotice: {
      summary: 'Says why the agent is about to leave; an agent that says nothing may still leave.',
      access: 'agent',
      args: [argument('reason', StopReason)],
    },
    SendWrongIdentity: {
      summary: 'Tells of something else that answered at an address of this server, the last time that it did.',
      access: 'agent',
      args: [WrongIdentityDto],
    },
    SendOpenTerminals: {
      summary: 'Names the terminals that run, on connecting: they outlive restarts of the server.',
      access: 'agent',
      args: [argument('terminals', z.array(OpenTerminalDto).max(100))],
    },
    SendConsentAnswers: {
      summary: 'Names the standing answers of the people at the device, on connecting and when they change.',
      access: 'agent',
      args: [ConsentAnswers],
    },
    SendSessionHeard: {
      summary: 'Says that the viewer of a remote-control session begins to hear the device.',
      access: 'agent',
      args: [argument('sessionId', id)],
    },
    SendPowerState: {
      summary:
        'Says which power changes the system has, and which restart or shutdown is due, on connecting and on changes.',
      access: 'agent',
      args: [PowerStateDto],
    },
    ConfirmPowerOrder: {
      summary: 'Asks, when an ordered restart or shutdown is due, whether the account that ordered it may still do so.',
      access: 'agent',
      args: [argument('orderId', id)],
      returns: HubResult,
    },
    SendUpdateRefusal: {
      summary: 'Says why the agent does not install the update that the server offers; null once it refuses none.',
      access: 'agent',
      args: [argument('reason', shortText(1000).nullable())],
    },
    GetFileStreamFromViewer: {
      summary: 'Fetches the bytes of the file that `DownloadFileFromViewer` announced, with the same DTO.',
      access: 'agent',
      args: [FileUploadHubDto],
      streams: bytes,
    },
  },
  client: {
    CloseChatSession: {
      summary: 'Closes a chat window.',
      args: [argument('sessionId', id), argument('targetProcessId', processId)],
      returns: HubResult,
    },
    CreateRemoteControlSession: {
      summary: 'Has a desktop connect to the relay; answers when that has begun, not when it is connected.',
      args: [RemoteControlSessionRequestDto],
      returns: HubResult,
    },
    CreateVncSession: {
      summary: 'Connects to a VNC server of this machine, answers, and then joins it to the relay.',
      args: [VncSessionRequestDto],
      returns: HubResult,
    },
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
      returns: FileUploadResult,
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
    GetPwshCompletions: {
      summary: 'Completes a line of PowerShell.',
      args: [PwshCompletionsRequestDto],
      returns: PwshCompletionsResult,
    },
    InvokeCtrlAltDel: {
      summary: 'Presses Ctrl+Alt+Del.',
      args: [InvokeCtrlAltDelRequestDto],
      returns: HubResult,
    },
    InvokeWakeDevice: { summary: 'Broadcasts magic packets for other devices.', args: [WakeDeviceDto] },
    ReceiveAgentUpdateTrigger: { summary: 'Asks the agent to look for an update of itself.', args: [] },
    ReceiveDto: {
      summary:
        'A message of a viewer for programs on the device. Our own agent runs a command or works on files for the server by it, and only then it answers.',
      args: [DtoWrapper],
      returns: hubResultOf(z.union([CommandEndDto, FileAnswerDto])).nullable(),
    },
    ReceivePowerStateChange: {
      summary: 'Restarts the device or switches it off.',
      args: [argument('changeType', PowerStateChangeType)],
    },
    RefreshDeviceInfo: { summary: 'Asks for an update of the device now.', args: [] },
    RequestDesktopPreview: {
      summary: 'Asks for a picture of a desktop by `SendDesktopPreviewStream`.',
      args: [DesktopPreviewRequestDto],
      returns: HubResult,
    },
    RequestRemoteControlPermission: {
      summary: 'Has the operating system ask the person for the permission to be controlled; may wait for that person.',
      args: [argument('targetProcessId', processId)],
      returns: HubResult,
    },
    SendChatMessage: {
      summary: 'Shows a message to the person at the device.',
      args: [ChatMessageHubDto],
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
    TestVncConnection: {
      summary: 'Tells whether a VNC server answers on a port of this machine.',
      args: [argument('port', tcpPort)],
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
      returns: ValidateFilePathHubResponseDto,
    },
  },
})
