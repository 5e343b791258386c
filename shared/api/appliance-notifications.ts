import { z } from 'zod'
import { dateTime, dto, id, resourceName } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { ContactMethodBody, ContactMethodDto, QuietHoursDto } from '../dtos/contact-method.ts'

const choices = {
  isNativeOn: z
    .boolean()
    .describe('Whether open pages and the window show notifications of the system; each browser asks once, too.'),
  quietHours: QuietHoursDto.nullable().describe(
    'Hours in which nothing is sent; what was held back is sent as one message at their end. Null: none.',
  ),
}

const NotificationChoicesBody = dto('NotificationChoicesRequestDto', choices)
export type NotificationChoicesBody = z.output<typeof NotificationChoicesBody>

const NotificationChoicesDto = dto('NotificationChoicesDto', {
  ...choices,
  quietUntil: dateTime.nullable().describe('End of the quiet hours of now; null outside of them.'),
  methods: z.array(ContactMethodDto).describe('Mail first, then the others, oldest first; at most 11.'),
})
export type NotificationChoicesDto = z.output<typeof NotificationChoicesDto>

const common = {
  access: 'authenticated',
  tenant: 'none',
} as const
const notAPerson = { 403: 'The caller did not sign in: keys and access tokens choose no contact methods.' }
const own = {
  ...common,
  params: z.object({ methodId: id.describe('The contact method, by its `id`.') }),
  problems: { ...notAPerson, 404: 'The caller has no such contact method.' },
} as const

/** How the caller is notified of alerts. */
export const applianceNotifications = defineRoutes('Notifications', {
  get: {
    ...common,
    method: 'GET',
    path: '/api/appliance/v1/notifications',
    summary: 'How you are notified: contact methods with their last delivery, and quiet hours',
    problems: notAPerson,
    response: NotificationChoicesDto,
  },
  choose: {
    ...common,
    method: 'PUT',
    path: '/api/appliance/v1/notifications',
    summary: 'Choose quiet hours, and whether open pages notify',
    problems: notAPerson,
    body: NotificationChoicesBody,
  },
  addMethod: {
    ...common,
    method: 'POST',
    path: '/api/appliance/v1/notifications/methods',
    summary: 'Add a contact method',
    description:
      'Messages have the form that the service documents. Only addresses of the internet are reached, and networks of `Service_AppOptions__OutgoingNetworks`; redirects are not followed.',
    recentProof: true,
    problems: { ...notAPerson, 409: 'You have 10 contact methods already.' },
    body: ContactMethodBody,
    response: ContactMethodDto,
    status: 201,
  },
  updateMethod: {
    ...own,
    method: 'PUT',
    path: '/api/appliance/v1/notifications/methods/:methodId',
    summary: 'Rename a contact method, or turn it on or off; turning it off drops what waits for it',
    body: dto('ContactMethodChangeDto', {
      name: resourceName.nullish().describe('New name; left out: unchanged. Mail has none.'),
      isOn: z.boolean().describe('Whether it is used.'),
    }),
  },
  removeMethod: {
    ...own,
    method: 'DELETE',
    path: '/api/appliance/v1/notifications/methods/:methodId',
    summary: 'Remove a contact method with what waits for it; mail can only be turned off',
    problems: { ...own.problems, 409: 'It is the mail of the account.' },
  },
  testMethod: {
    ...own,
    method: 'POST',
    path: '/api/appliance/v1/notifications/methods/:methodId/test',
    summary: 'Send a test message now, and see what came back',
    limitedAttempts: 'all',
    response: dto('ContactMethodTestDto', {
      isDelivered: z.boolean().describe('Whether the service or the mail server accepted it.'),
      status: z.int().nullable().describe('HTTP status; null without an answer, and for mail.'),
      answer: z.string().describe('Beginning of the answer, or why there was none.'),
      milliseconds: z.int().describe('Time that it took.'),
    }),
  },
})
