import { z } from 'zod'
import { dto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { EventDto, eventData } from '../dtos/event.ts'

const groups = new Set([...eventData.keys()].map((kind) => kind.split('.')[0]!))

/** A type of events, such as `device.online`, or a group of them, such as `device`. */
export const EventKindOrGroup = z.enum([...eventData.keys(), ...groups])

const isKnown = (name: string) => EventKindOrGroup.safeParse(name).success

const kinds = z
  .string()
  .max(1000)
  .transform((text) => text.split(',').map((name) => name.trim()))
  .refine((names) => names.every(isKnown), 'must be types of events, such as device.online, or groups, such as device')

/** Events for programs. */
export const applianceEvents = defineRoutes('Events', {
  list: {
    method: 'GET',
    path: '/api/appliance/v1/events',
    summary: 'Events that the caller may see, oldest first',
    description:
      'Ask again with `after` set to `last`. With `Accept: text/event-stream` the answer is a stream of server-sent events that stays open, and `Last-Event-ID` goes before `after`. Rights are checked for each event when it is read, and the feed ends with the credential. Guests with a link to a device see none. Of a deleted device, earlier events are seen by those who may read all devices of its organization. Events are kept for 30 days.',
    problems: {
      410: 'Events after `after` are no longer kept, or never were: begin at `firstEventId`, which is still kept, and read the present state first.',
      429: 'The caller has 20 feeds open already, or its organization as many as are left of 1,000.',
    },
    isStable: true,
    access: 'authenticated',
    tenant: 'none',
    query: z.object({
      after: z
        .string()
        .regex(/^(latest|\d{1,15})$/, 'must be the id of an event, or latest')
        .optional()
        .describe(
          'Only events after the one with this `id`; `latest`: only those to come. Without it: all that are kept.',
        ),
      kinds: kinds.optional().describe('Types or their groups, separated by commas: `device.offline,backup`.'),
      limit: z.coerce.number().int().min(1).max(1000).default(100).describe('1 to 1000 events; a stream has no end.'),
    }),
    response: dto('EventListDto', {
      items: z.array(EventDto).describe('Events, oldest first.'),
      last: z.string().describe('Place up to which was looked: `after` of the next request.'),
      hasMore: z.boolean().describe('Whether there are more already.'),
    }),
    streamType: 'text/event-stream',
  },
})
