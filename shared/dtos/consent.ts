import { z } from 'zod'
import { hourMs, minuteMs } from '../durations.ts'
import { dateTime, dto, id, shortText } from '../contract/fields.ts'
import { reservedPrefix } from './run-command.ts'

/** Kinds of visits for which the person at a device may be asked. */
export const consentSubjects = ['control', 'viewing', 'terminal', 'files'] as const
export type ConsentSubject = (typeof consentSubjects)[number]

/** From the mildest to the strictest. */
export const consentModes = ['never', 'signed-in', 'always'] as const
export const ConsentMode = z
  .enum(consentModes)
  .describe(
    '`never`: nobody is asked. `signed-in`: the person is asked if somebody is signed in. `always`: the same, and without a person the answer is as if nobody answered.',
  )
export type ConsentMode = z.output<typeof ConsentMode>

/** Idle time after which a visitor needs the person's consent to files again. */
export const filesVisitMs = 15 * minuteMs

/** Time after which a visitor who uses files all along needs the consent again; as long as the answer for an hour. */
export const longestFilesVisitMs = hourMs

/** Time in which the person answers. */
export const consentSeconds = 30

const allowsSilence = z
  .boolean()
  .describe(
    `Whether a question without an answer within ${consentSeconds} seconds is allowed; otherwise it is refused.`,
  )

/** Decision of the server for one visit, which the agent enforces. */
export const ConsentRule = dto('ConsentRule', { mode: ConsentMode, allowsSilence })
export type ConsentRule = z.output<typeof ConsentRule>

/** Rule that asks nobody. */
export const freeRule: ConsentRule = { mode: 'never', allowsSilence: true }

/**
 * Message inside `ReceiveDto` before a visit whose own messages cannot carry a rule. The agent answers when the person
 * has, with a failure if the visit is refused.
 */
export const askConsentType = `${reservedPrefix}ask-consent`

export const AskConsent = z.object({
  subject: z.enum(consentSubjects),
  rule: ConsentRule,
  /** Viewer connection or run that the answer is for; blank for the files of the visitor. */
  grantFor: z.string().max(200),
  visitorId: z.string().max(200),
  /** Account that answers for the visitor, which may have many links and tokens. */
  visitorAccountId: z.string().max(200).optional(),
  visitorName: z.string(),
  organizationName: z.string().optional(),
})
export type AskConsent = z.output<typeof AskConsent>

/** Message inside `ReceiveDto` that removes the standing answers of all people at the device. */
export const clearConsentType = `${reservedPrefix}clear-consent`

/** Standing answer of the person at a device to one visitor. */
export const StandingConsent = dto('StandingConsent', {
  subject: z.enum(consentSubjects).describe('What is allowed; control includes viewing.'),
  visitorId: shortText(200).describe('Account of the visitor.'),
  visitorName: shortText(200).describe('Name of the visitor when the person answered.'),
  person: shortText(256).describe('Name of the person who answered, as the device knows it.'),
  until: dateTime.describe('End of the answer.'),
})
export type StandingConsent = z.output<typeof StandingConsent>

/** Standing answers that an agent keeps and enforces. */
export const ConsentAnswers = dto('ConsentAnswers', {
  standing: z.array(StandingConsent).max(200).describe('Answers for an hour or a day.'),
  alwaysAsk: z
    .array(shortText(256))
    .max(100)
    .describe('People at the device who want to be asked each time, whatever the policies say.'),
})
export type ConsentAnswers = z.output<typeof ConsentAnswers>

export const policyId = id.describe('The policy, by the `id` of `GET /api/appliance/v1/consent-policies`.')
