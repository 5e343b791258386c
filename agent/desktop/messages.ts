import { z } from 'zod'
import { HubResult } from '../../shared/dtos/hub-result.ts'
import { RemoteControlSessionRequestDto } from '../../shared/dtos/remote-control.ts'
import { TrustedServer } from '../trust/trusted-server.ts'

/** What the agent and the process of one desktop ask of each other. */

export interface CallDefinition {
  args: z.ZodType
  result: z.ZodType
}
export type CallTable = Record<string, CallDefinition>

const sessionId = z.string().max(100)
/** What goes on to the server has to fit into a message there. */
const Outcome = HubResult.extend({
  reason: z.string().max(10_000).nullable().default(null),
  errorCode: z.string().max(100).nullable().default(null),
})
/** A session, and how the server that its relay belongs to proves itself; null where it need not. */
const StartSessionRequest = RemoteControlSessionRequestDto.extend({ server: TrustedServer.nullable() })
export type StartSessionRequest = z.output<typeof StartSessionRequest>

const text = z.string().max(10_000)
/** Four times what noise of the largest preview needs. */
const maxPictureCharacters = 32 * 1024 * 1024
/** Of one message, the picture in it included. */
export const maxMessageBytes: number = maxPictureCharacters + 64 * 1024

/** What the agent asks of a desktop. */
export const desktopCalls = {
  /** Whether the desktop can be shown; a failure says why not. */
  check: { args: z.object({}), result: Outcome },
  /** Answers when the session has begun, after the consent of the person where that is required. */
  startSession: { args: StartSessionRequest, result: Outcome },
  /** A JPEG of all displays, in base64. */
  preview: { args: z.object({}), result: Outcome.extend({ jpeg: z.string().max(maxPictureCharacters) }) },
  /** Answers when the person has the message on the screen. */
  showChatMessage: { args: z.object({ sessionId, senderName: text, message: text }), result: Outcome },
  closeChat: { args: z.object({ sessionId }), result: Outcome },
} satisfies CallTable

/** What a desktop asks of the agent. It runs as the person who is signed in, so all that it says is a claim. */
export const agentCalls = {
  /** Hands on what the person wrote; true when the viewer has it. */
  answerChat: { args: z.object({ sessionId, message: text }), result: z.boolean() },
  sessionEnded: { args: z.object({ sessionId, reason: text }), result: z.null() },
  /** The person closed the window; nothing more is written there. */
  chatClosed: { args: z.object({ sessionId }), result: z.null() },
} satisfies CallTable

/** What travels: a call with its number, or the answer to the call of that number. */
export const CallMessage = z.union([
  z.object({ call: z.number().int(), name: z.string().max(100), args: z.unknown() }),
  z.object({ answer: z.number().int(), result: z.unknown() }),
  z.object({ answer: z.number().int(), problem: z.string().max(10_000) }),
])
export type CallMessage = z.output<typeof CallMessage>
