import { z } from 'zod'
import { dto, id, zeroId } from '../contract/fields.ts'
import { CaptureSettings } from '../remote-control/capture-settings.ts'
import { SessionPolicy } from '../remote-control/policy.ts'
import { ConsentRule } from './consent.ts'
import { DesktopSession, DesktopSessionType } from './desktop-session.ts'
import { hubResultOf } from './hub-result.ts'

/** Process of the desktop client of a desktop session. */
export const processId = z.number().int().min(-2_147_483_648).max(2_147_483_647)

/** Device id of a request DTO that positional calls send beside the device id as an argument. */
export const deviceOfRequest = id
  .default(zeroId)
  .describe('Device of the call. May be left out where the device id is an argument of its own.')

/** Address of the relay with session, token and role; it holds a secret. */
const websocketUri = z.string().max(2048)

/** Facts about the viewer, set by the server; values sent by the viewer are ignored. */
const viewer = {
  viewerConnectionId: z.string().nullable().default(null).describe('Set by the server.'),
  viewerName: z.string().nullable().default(null).describe('Set by the server.'),
  organizationName: z
    .string()
    .optional()
    .describe('Set by the server: the organization of the device, for the person at it.'),
  notifyUserOnSessionStart: z.boolean().default(false).describe('Set by the server.'),
  viewerPrincipalId: z.string().optional().describe('Set by the server.'),
  viewerAccountId: z
    .string()
    .optional()
    .describe('Set by the server: the account that answers for the viewer, of a link its maker.'),
  consent: ConsentRule.optional().describe('Set by the server: the policies of the organization.'),
}

export const RemoteControlSessionRequestDto = dto('RemoteControlSessionRequestDto', {
  sessionId: id,
  websocketUri: websocketUri.describe('Address of the relay for the device.'),
  targetSystemSession: z.number().int().default(0),
  targetProcessId: processId,
  deviceId: deviceOfRequest,
  requireConsent: z.boolean().default(false),
  ...viewer,
  sharesControl: z
    .boolean()
    .optional()
    .describe('True if the viewer follows `ControlHolders`: it then acts only while it holds control.'),
  isRecorded: z
    .boolean()
    .optional()
    .describe('Set by the server: the session is recorded, which the person at the device must see.'),
  capture: CaptureSettings.optional().describe(
    'Settings that the viewer will send as it connects. With them the device sends its first picture without waiting.',
  ),
  policy: SessionPolicy.optional().describe(
    'From a viewer what it wants at most; the server takes away what it may not.',
  ),
})
export type RemoteControlSessionRequestDto = z.output<typeof RemoteControlSessionRequestDto>

export const tcpPort = z.number().int().min(1).max(65_535)

export const VncSessionRequestDto = dto('VncSessionRequestDto', {
  sessionId: id,
  websocketUri: websocketUri.describe('Address of the relay for the device.'),
  deviceId: deviceOfRequest,
  port: tcpPort.default(5900),
  ...viewer,
})
export type VncSessionRequestDto = z.output<typeof VncSessionRequestDto>

export const TestVncConnectionRequestDto = dto('TestVncConnectionRequestDto', { deviceId: id, port: tcpPort })

export const GetActiveDesktopSessionsRequestDto = dto('GetActiveDesktopSessionsRequestDto', { deviceId: id })
export const ActiveDesktopSessionsResponseDto = dto('ActiveDesktopSessionsResponseDto', {
  sessions: z.array(DesktopSession),
})
export const ActiveDesktopSessionsResult = hubResultOf(ActiveDesktopSessionsResponseDto)

export const RequestRemoteControlPermissionRequestDto = dto('RequestRemoteControlPermissionRequestDto', {
  deviceId: id,
  targetProcessId: processId,
})

export const InvokeCtrlAltDelViewerRequestDto = dto('InvokeCtrlAltDelViewerRequestDto', {
  deviceId: id,
  targetDesktopProcessId: processId,
  desktopSessionType: DesktopSessionType.default(0),
})
export const InvokeCtrlAltDelRequestDto = dto('InvokeCtrlAltDelRequestDto', {
  targetDesktopProcessId: processId,
  invokerUserName: z.string(),
  desktopSessionType: DesktopSessionType.default(0),
})
