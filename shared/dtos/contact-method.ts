import { z } from 'zod'
import { createdAt, dateTime, dto, ownId, resourceName, textOrNull } from '../contract/fields.ts'
import { weeklyHours } from './weekly-hours.ts'

export const chatServices = ['ntfy', 'slack', 'teams', 'discord', 'telegram'] as const
export type ChatService = (typeof chatServices)[number]

const ContactService = z.enum(['mail', ...chatServices]).meta({
  id: 'ContactService',
  description: '`mail` is the address of the account; the others are services that take messages by HTTP.',
})
export type ContactService = z.output<typeof ContactService>

/** Longest address of a service, and longest token, in characters. */
const maxAddress = 2000
const maxToken = 500

export const ContactMethodBody = dto('ContactMethodRequestDto', {
  service: z.enum(chatServices).describe('Service that takes the messages.'),
  name: resourceName.describe('Name for the person, such as “Phone”.'),
  address: z
    .string()
    .trim()
    .max(maxAddress)
    .nullish()
    .describe(
      'ntfy: address of the topic. Slack, Teams, Discord: address of the incoming webhook. Telegram: address of a Bot API server of your own, else left out. A secret: never shown again.',
    ),
  token: z
    .string()
    .trim()
    .max(maxToken)
    .nullish()
    .describe('ntfy: access token of a protected topic. Telegram: token of the bot. A secret: never shown again.'),
  chat: z.string().trim().max(100).nullish().describe('Telegram: id of the chat, or `@name` of a channel.'),
})
export type ContactMethodBody = z.output<typeof ContactMethodBody>

const ContactDeliveryDto = dto('ContactDeliveryDto', {
  state: z
    .enum(['waiting', 'delivered', 'failed'])
    .describe('`waiting` for its next attempt, or for the end of quiet hours; `failed` when it was given up.'),
  at: dateTime.describe('Last attempt; without one, when it was stored.'),
  attempts: z.int().describe('Attempts so far.'),
  nextAt: dateTime.nullable().describe('Next attempt; null when there is none.'),
  waiting: z.int().describe('Notifications that wait for this method.'),
  status: z.int().nullable().describe('HTTP status of the last answer; null without one.'),
  answer: textOrNull.describe('Beginning of the last answer, or why there was none.'),
})

export const ContactMethodDto = dto('ContactMethodDto', {
  id: ownId,
  service: ContactService.describe('How the messages travel.'),
  name: z.string().describe('Name for the person; empty for mail.'),
  target: z
    .string()
    .describe('Where messages go, without secrets: the address of the account, else the host of the service.'),
  isOn: z.boolean().describe('False stops it.'),
  obstacle: z
    .enum(['no-mail-server', 'unconfirmed-address'])
    .nullable()
    .describe('Why mail is not sent although it is on; null for nothing.'),
  last: ContactDeliveryDto.nullable().describe('The newest notification; null if there was none.'),
  createdAt,
})
export type ContactMethodDto = z.output<typeof ContactMethodDto>

export const QuietHoursDto = dto('QuietHoursDto', {
  ...weeklyHours,
  letsUrgentPass: z.boolean().describe('Whether urgent notifications are sent all the same.'),
}).refine(({ days, from, to }) => from !== to || new Set(days).size < 7, 'must leave some time')
export type QuietHoursDto = z.output<typeof QuietHoursDto>
