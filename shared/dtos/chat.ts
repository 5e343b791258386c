import { z } from 'zod'
import { dto, id, offsetDateTime } from '../contract/fields.ts'
import { deviceOfRequest, processId } from './remote-control.ts'

/** Most characters of a message; longer ones would not be read. */
export const maxChatLength = 10_000

const chatText = z.string().max(maxChatLength)
const setByServer = { description: 'Set by the server.' }

export const ChatMessageHubDto = dto('ChatMessageHubDto', {
  deviceId: deviceOfRequest,
  sessionId: id.describe('Made by the viewer for each chat.'),
  message: chatText,
  senderName: z.string().default('').meta(setByServer),
  organizationName: z
    .string()
    .optional()
    .describe('Set by the server: the organization of the device, for the person at it.'),
  senderEmail: z.string().default('').meta(setByServer),
  targetSystemSession: z.number().int().default(0),
  targetProcessId: processId,
  timestamp: offsetDateTime,
  viewerConnectionId: z.string().default('').meta(setByServer),
  isAttach: z
    .boolean()
    .optional()
    .describe('Shows nothing: the answers in this chat come to this viewer connection from now on.'),
})
export type ChatMessageHubDto = z.output<typeof ChatMessageHubDto>

/** Reply of the user at the device. Untrusted text. */
export const ChatResponseHubDto = dto('ChatResponseHubDto', {
  sessionId: id,
  desktopSessionProcessId: processId,
  message: chatText,
  senderUsername: z.string().default(''),
  viewerConnectionId: z.string().default(''),
  timestamp: offsetDateTime,
  isClosed: z.boolean().optional().describe('No answer: the person has closed the window.'),
})
export type ChatResponseHubDto = z.output<typeof ChatResponseHubDto>

export const CloseChatSessionRequestDto = dto('CloseChatSessionRequestDto', {
  deviceId: id,
  sessionId: id,
  targetProcessId: processId,
})
