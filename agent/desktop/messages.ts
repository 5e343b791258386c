import { z } from 'zod'
import { maxChatLength } from '../../shared/dtos/chat.ts'
import { consentSubjects } from '../../shared/dtos/consent.ts'
import { HubResult } from '../../shared/dtos/hub-result.ts'
import { orderedChanges, powerTimes } from '../../shared/dtos/power-order.ts'
import { RecordingNotice } from '../../shared/dtos/recording-notice.ts'
import { RemoteControlSessionRequestDto } from '../../shared/dtos/remote-control.ts'
import { clipboardKinds } from '../../shared/remote-control/clipboard.ts'
import { PinnedServer } from '../trust/pinned-server.ts'

/** Calls between the agent and the process of one desktop. */

export interface CallDefinition {
  args: z.ZodType
  result: z.ZodType
}
export type CallTable = Record<string, CallDefinition>

const sessionId = z.string().max(100)
/** Result limited in length, so that the agent can forward the result in one message to the server. */
const Outcome = HubResult.extend({
  reason: z.string().max(10_000).nullable().default(null),
  errorCode: z.string().max(100).nullable().default(null),
})
/** Request for a session, with the identity that the relay's server must prove; null where no proof is needed. */
const StartSessionRequest = RemoteControlSessionRequestDto.extend({ server: PinnedServer.nullable() })
export type StartSessionRequest = z.output<typeof StartSessionRequest>

const text = z.string().max(maxChatLength)
/** Four times the size of the largest preview filled with noise. */
const maxPictureCharacters = 32 * 1024 * 1024
/** Maximum size of one message including its picture. */
export const maxMessageBytes: number = maxPictureCharacters + 64 * 1024

const ShowChatMessage = z.object({
  sessionId,
  senderName: text,
  organizationName: text.optional(),
  message: text,
})
export type ShowChatMessage = z.output<typeof ShowChatMessage>

const grant = z.string().max(1000).nullable()

/** Question to the person at the device, before a visit. */
const ConsentQuestion = z.object({
  subject: z.enum(consentSubjects),
  visitorId: z.string(),
  visitorAccountId: z.string().optional(),
  visitorName: z.string().nullable(),
  organizationName: text.optional(),
  /** Whether a question without an answer is allowed. */
  allowsSilence: z.boolean(),
  /** Whether this person wants to be asked each time. */
  asksAlways: z.boolean(),
})
export type ConsentQuestion = z.output<typeof ConsentQuestion>

const ConsentReply = z.object({
  answer: z.enum(['once', 'hour', 'today', 'declined', 'silent', 'not-asked']),
  asksAlways: z.boolean(),
  /** Reason why the person was not asked. */
  reason: z.string().max(10_000).default(''),
})
export type ConsentReply = z.output<typeof ConsentReply>

/** Question to the person at the device, before a restart or shutdown that was ordered. */
const PowerQuestion = z.object({
  id: z.string(),
  change: z.enum(orderedChanges),
  visitorName: text,
  organizationName: text.optional(),
  /** Delays that the person may choose. */
  choices: z.array(z.enum(powerTimes)),
  mayDecline: z.boolean(),
  /** Time that "tonight" means, in ms since 1970. */
  tonight: z.number(),
})
export type PowerQuestion = z.output<typeof PowerQuestion>

const PowerReply = z.object({
  answer: z.enum([...powerTimes, 'declined', 'silent', 'not-asked']),
  /** Reason why the person was not asked. */
  reason: z.string().max(10_000).default(''),
})
export type PowerReply = z.output<typeof PowerReply>

/** Calls from the agent to a desktop. */
export const desktopCalls = {
  /** Checks whether the desktop can be shown, a failure carries the reason; and whether the system asks the person first. */
  check: { args: z.object({}), result: Outcome.extend({ asksPerson: z.boolean().default(false) }) },
  /** Replies when the person has answered, or the time for an answer is over. */
  askConsent: { args: ConsentQuestion, result: ConsentReply },
  /** Replies when the person has chosen, or the time of the question is over. */
  askPower: { args: PowerQuestion, result: PowerReply },
  /** Closes the question about an order that was canceled. */
  endPowerQuestion: { args: z.object({ id: z.string() }), result: z.null() },
  /** Replies when the session has begun. */
  startSession: { args: StartSessionRequest, result: Outcome },
  /** Shows to the person whether a session is recorded. */
  setRecorded: { args: RecordingNotice, result: z.null() },
  /** Captures all displays as one JPEG, in base64. */
  preview: { args: z.object({}), result: Outcome.extend({ jpeg: z.string().max(maxPictureCharacters) }) },
  /** Replies when the message is visible to the person. */
  showChatMessage: { args: ShowChatMessage, result: Outcome },
  closeChat: { args: z.object({ sessionId }), result: Outcome },
} satisfies CallTable

const SessionEnded = z.object({
  sessionId,
  reason: text,
  isByPerson: z.boolean().default(false),
  hasTyped: z.boolean().default(false),
  pasted: z.array(z.enum(clipboardKinds)).max(clipboardKinds.length).default([]),
  copied: z.array(z.enum(clipboardKinds)).max(clipboardKinds.length).default([]),
})
export type SessionEnded = z.output<typeof SessionEnded>
/** End of a session of which its process told nothing. */
export const untoldEnd = SessionEnded.omit({ sessionId: true, reason: true }).parse({})

/** Calls from a desktop to the agent. The process runs as the signed-in person, so its messages are untrusted. */
export const agentCalls = {
  /** Delivers an answer of the person; returns true when the viewer has received the answer. */
  answerChat: { args: z.object({ sessionId, message: text }), result: z.boolean() },
  /** Starts the helper for the secure desktop, for a session whose viewer may use it; replies with its pipe. */
  openSecureDesktop: { args: z.object({ sessionId }), result: z.string().max(200) },
  /** Reports the end of a session; `isByPerson` if the person at the device ended it. */
  sessionEnded: { args: SessionEnded, result: z.null() },
  /** Reports that the viewer of a session begins to hear the device. */
  sessionHeard: { args: z.object({ sessionId }), result: z.null() },
  /** Reports that the person closed the window; no more answers follow. */
  chatClosed: { args: z.object({ sessionId }), result: z.null() },
  /** Token of the system with which this desktop is shown again without asking the person. */
  readGrant: { args: z.object({}), result: grant },
  storeGrant: { args: z.object({ grant }), result: z.null() },
} satisfies CallTable

/** Message of the channel: a numbered call, or the reply to the call with this number. */
export const CallMessage = z.union([
  z.object({ call: z.number().int(), name: z.string().max(100), args: z.unknown() }),
  z.object({ answer: z.number().int(), result: z.unknown() }),
  z.object({ answer: z.number().int(), problem: z.string().max(10_000) }),
])
export type CallMessage = z.output<typeof CallMessage>
