import { z } from 'zod'
import { hourMs } from '../durations.ts'
import { dateTime, dto, id, shortText } from '../contract/fields.ts'
import { PowerVariant, powerVariants } from './power-change.ts'
import { reservedPrefix } from './run-command.ts'

/** Restarts and shutdowns for later, which the agent keeps, and about which it asks the person at the device. */

export const orderedChanges = ['restart', 'shutdown'] as const
export type OrderedChange = (typeof orderedChanges)[number]

export const powerTimes = ['now', 'hour', 'tonight'] as const
export type PowerTime = (typeof powerTimes)[number]

/** From no question to the freest answer; each includes the ones before it. */
export const personChoices = ['not-asked', 'told', 'hour', 'tonight', 'not-today'] as const
export type PersonChoice = (typeof personChoices)[number]

/** Time that the person has to answer, and to save work. */
export const powerQuestionSeconds = 120

/** Time after which an order is dropped whose device was off or asleep, or whose server did not answer. */
export const powerLapseMs = hourMs

export const PowerTiming = dto('PowerTimingDto', {
  when: z
    .enum(powerTimes)
    .describe('`tonight`: at 22:00 on the clock of the device, or at 3:00 if ordered after 21:00.'),
  person: z
    .enum(personChoices)
    .describe(
      `Asked for ${powerQuestionSeconds} seconds before the time, if somebody is signed in. \`told\`: a countdown; \`hour\` and \`tonight\`: the person may delay by an hour or until tonight; \`not-today\`: the person may also decline. Silence is consent.`,
    ),
})
export type PowerTiming = z.output<typeof PowerTiming>

/** Longest time from an order until it is due, however the person at the device delays it. */
export const longestPowerDelayMs = 25 * hourMs

/** Message inside `ReceiveDto` with an order; it replaces an earlier order of the device. */
export const powerOrderType = `${reservedPrefix}power-order`
export const PowerOrder = z.object({
  id,
  change: z.enum(orderedChanges),
  when: z.enum(powerTimes),
  person: z.enum(personChoices),
  visitorName: z.string().max(200),
  organizationName: z.string().max(200).optional(),
})
export type PowerOrder = z.output<typeof PowerOrder>

/** Message inside `ReceiveDto` that drops an order. */
export const cancelPowerOrderType = `${reservedPrefix}cancel-power-order`
export const CancelPowerOrder = z.object({ id })

/** Power changes of a device, and the order that its agent keeps. */
export const PowerStateDto = dto('PowerStateDto', {
  variants: z.array(PowerVariant).max(powerVariants.length).describe('Changes beyond restart and shutdown.'),
  now: dateTime
    .optional()
    .describe('Time on the clock of the device, which may differ from that of the server. Optional for older agents.'),
  order: z
    .object({ id, at: dateTime, isAsking: z.boolean() })
    .nullable()
    .describe(
      'When it is due on the clock of the device, and whether the person is being asked; null without an order.',
    ),
  ended: z
    .object({ id, reason: shortText(1000) })
    .nullable()
    .describe('An order that was given up, with the reason.'),
})
export type PowerStateDto = z.output<typeof PowerStateDto>

export const OrderPowerDto = dto('OrderPowerDto', {
  change: z.enum(orderedChanges).describe('What the device does then.'),
  ...PowerTiming.shape,
})

/** Order that a device keeps. */
export const PowerOrderDto = dto('PowerOrderDto', {
  change: z.enum(orderedChanges).describe('What the device does then.'),
  person: z.enum(personChoices).describe('What the person at the device may choose.'),
  dueAt: dateTime.describe('When it is due; later once the person at the device has delayed it.'),
  orderedBy: z.string().describe('Name of the account that ordered it, at that time.'),
  createdAt: dateTime.describe('When it was ordered.'),
})
export type PowerOrderDto = z.output<typeof PowerOrderDto>

export const DevicePowerDto = dto('DevicePowerDto', {
  variants: z
    .array(PowerVariant)
    .nullable()
    .describe('Changes beyond restart and shutdown; null while unknown: offline, or an agent of another make.'),
  order: PowerOrderDto.extend({ isAsking: z.boolean().describe('Whether the person is being asked at this moment.') })
    .meta({ id: 'KeptPowerOrderDto' })
    .nullable()
    .describe('Null without an order.'),
})
export type DevicePowerDto = z.output<typeof DevicePowerDto>
