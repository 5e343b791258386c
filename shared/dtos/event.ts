import { z } from 'zod'
import { dateTime, dto, id } from '../contract/fields.ts'

const text = z.string().nullable()

const EventActorDto = dto('EventActorDto', {
  kind: z.string().describe('`user`, `service-account`, `guest`, `anonymous`, or `system` for the server itself.'),
  id: text.describe('Id of the user or service account; null for the others.'),
  name: text.describe('Name at that moment.'),
})
const actor = EventActorDto.describe('Who did it.')

const envelope = {
  specversion: z.literal('1.0').describe('Version of CloudEvents.'),
  id: z.string().describe('Place of the event: ascending, never used twice. A number, as a string. There may be gaps.'),
  source: z.string().describe('Address of this server.'),
  time: dateTime.describe('When it happened.'),
  datacontenttype: z.literal('application/json').describe('Media type of `data`.'),
  subject: z
    .string()
    .optional()
    .describe('Id of the device, job, person or group that the event is about; left out for events of the server.'),
  tenantid: id.optional().describe('Organization of the subject; left out for events of the server.'),
}

const kind = <const Type extends string, Data extends z.core.$ZodLooseShape>(
  type: Type,
  name: string,
  says: string,
  data: Data,
) =>
  dto(
    name,
    {
      ...envelope,
      type: z.literal(type).describe('What happened.'),
      data: z.object(data).describe('Facts of this type.'),
    },
    { description: says },
  )

const name = text.describe('Name of the device at that moment, its alias if it has one; null if it is gone already.')
const ofDevice = { name }
const ofSession = {
  name,
  session: z.string().describe('What it is: `remote-control`, `terminal` and so on.'),
  sessionId: z.string().describe('The session; the same when it ends.'),
  actor,
}
const ofPerson = {
  name: text.describe('Name of the person, account or group.'),
  what: z.string().describe('Kind of the entry in the audit log.'),
  actor,
}
const ofJob = {
  job: z.string().describe('What is done, such as `run-command`.'),
  devices: z.number().int().describe('Number of its devices.'),
  actor,
}
const ofUpdate = { from: text.describe('Version before.'), to: text.describe('Version after.'), actor }
const ofAlert = {
  name: text.describe('Name of the device, or what happened if it is not about one device.'),
  alertId: z.string().describe('The alert.'),
  rule: text.describe('Name of its rule.'),
  condition: z.string().describe('Condition of its rule, such as `device-offline`.'),
  devices: z.number().int().describe('Number of its devices.'),
  actor,
}
const reason = z.string().nullish().describe('Why it failed.')

/** Members of a device whose change is an event. Values that every report changes, such as the load, are none. */
export const deviceChanges = [
  'name',
  'alias',
  'customerId',
  'groupIds',
  'tagIds',
  'agentVersion',
  'osDescription',
] as const
export type DeviceChange = (typeof deviceChanges)[number]

const kinds = [
  kind('device.registered', 'DeviceRegisteredEvent', 'A device registered with an installer key.', {
    ...ofDevice,
    isNew: z.boolean().describe('False for a device that was known already.'),
    actor,
  }),
  kind('device.online', 'DeviceOnlineEvent', 'The agent of a device has connected.', ofDevice),
  kind('device.offline', 'DeviceOfflineEvent', 'A device has no connection any more.', {
    ...ofDevice,
    lastSeenAt: dateTime.describe('When it was last heard of.'),
  }),
  kind('device.changed', 'DeviceChangedEvent', 'Facts about a device or its place have changed.', {
    ...ofDevice,
    changed: z.array(z.enum(deviceChanges)).describe('What changed; the device itself has the values.'),
  }),
  kind('device.deleted', 'DeviceDeletedEvent', 'A device was removed.', { ...ofDevice, actor }),
  kind('session.began', 'SessionBeganEvent', 'Somebody is on a device.', ofSession),
  kind('session.ended', 'SessionEndedEvent', 'A session on a device has ended.', {
    ...ofSession,
    seconds: z.number().nullish().describe('How long it lasted.'),
    reason: z.string().nullish().describe('Why it ended.'),
  }),
  kind('job.started', 'JobStartedEvent', 'A bulk job was started; `subject` is its id.', ofJob),
  kind('job.ended', 'JobEndedEvent', 'A bulk job has ended.', {
    ...ofJob,
    isInterrupted: z.boolean().describe('Whether a restart of the server ended it.'),
  }),
  kind('person.added', 'PersonAddedEvent', 'An account was made.', ofPerson),
  kind('person.invited', 'PersonInvitedEvent', 'Somebody was invited.', ofPerson),
  kind('person.changed', 'PersonChangedEvent', 'An account was changed, enabled or disabled.', ofPerson),
  kind('person.removed', 'PersonRemovedEvent', 'An account was deleted.', ofPerson),
  kind('rights.changed', 'RightsChangedEvent', 'Rights, or members of a group, were changed.', ofPerson),
  kind('alert.opened', 'AlertOpenedEvent', 'A rule has opened an alert.', ofAlert),
  kind('alert.acknowledged', 'AlertAcknowledgedEvent', 'Somebody has taken up an alert.', ofAlert),
  kind('alert.closed', 'AlertClosedEvent', 'An alert was closed, mostly because its cause is gone.', ofAlert),
  kind('backup.made', 'BackupMadeEvent', 'A backup was made.', {
    bytes: z.number().nullish().describe('Size of the copy.'),
    actor,
  }),
  kind('backup.failed', 'BackupFailedEvent', 'No backup could be made.', { reason, actor }),
  kind('backup.rehearsed', 'BackupRehearsedEvent', 'The newest backup can be restored.', { actor }),
  kind('backup.rehearsal-failed', 'BackupRehearsalFailedEvent', 'The newest backup cannot be restored.', {
    reason,
    actor,
  }),
  kind('update.started', 'UpdateStartedEvent', 'An update of the server, or its way back, was started.', ofUpdate),
  kind('update.installed', 'UpdateInstalledEvent', 'The server runs another version.', ofUpdate),
  kind('update.failed', 'UpdateFailedEvent', 'The server could not be updated.', {
    ...ofUpdate,
    reason,
  }),
  kind('server.started', 'ServerStartedEvent', 'The server has started.', {
    version: z.string().describe('Version that runs.'),
  }),
  kind('server.restored', 'ServerRestoredEvent', 'A backup was restored: events after it are no longer kept.', {
    createdAt: z.string().describe('When the backup was made.'),
    computer: text.describe('Where it was made.'),
    actor,
  }),
] as const

/** An event for programs, with the members of CloudEvents 1.0. */
export const EventDto = z.discriminatedUnion('type', kinds).meta({
  id: 'EventDto',
  description: 'An event; `type` says which. A newer server may send further types.',
  examples: [
    {
      specversion: '1.0',
      id: '4711',
      source: 'https://farhand.example.org',
      type: 'device.online',
      time: '2026-06-15T12:00:00.000Z',
      datacontenttype: 'application/json',
      subject: '0f8fad5b-d9cb-469f-a165-70867728950e',
      tenantid: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
      data: { name: 'Reception' },
    },
  ],
})
export type EventDto = z.output<typeof EventDto>
export type EventKind = EventDto['type']

/** Schema of the data of each kind. */
export const eventData = new Map<string, z.ZodObject>(kinds.map(({ shape }) => [shape.type.value, shape.data]))
