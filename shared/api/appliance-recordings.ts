import { z } from 'zod'
import { dateTime, dto, id } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import {
  RecordingDto,
  RecordingKind,
  RecordingPolicyDto,
  RecordingReadingDto,
  RecordingStateDto,
} from '../dtos/recording.ts'
import { deviceId } from '../dtos/references.ts'

const search = z.object({
  deviceId: deviceId.optional().describe('Only recordings of this device.'),
  personId: id.optional().describe('Only sessions of this person or service account.'),
  kind: RecordingKind.optional().describe('Only recordings of this kind.'),
  before: dateTime.optional().describe('Only older recordings: `startedAt` of the last of the page before.'),
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('1 to 200 recordings.'),
})
export type RecordingSearch = z.output<typeof search>

const onTenant = (permission: 'appliance.recordings.read' | 'appliance.recordings.delete') =>
  ({ access: { permission, on: 'tenant', orOnServer: permission }, tenant: 'queryOrClaim' }) as const
const reading = onTenant('appliance.recordings.read')
const recordingId = id.describe('The recording, by its `id`.')
const params = z.object({ recordingId })
const readingParams = params.extend({ readingId: id.describe('The `id` of the reading.') })
const problems = { 404: 'There is none in this organization.' } as const
const readingProblems = {
  404: 'There is none, or it was not used for an hour.',
  409: 'A part of the recording is damaged or was changed.',
} as const
const policies = dto('RecordingPolicyListDto', {
  items: z.array(RecordingPolicyDto).max(500).describe('Each for other devices.'),
})

/** Recordings of sessions, and the policies that say what is recorded. */
export const applianceRecordings = defineRoutes('Recordings', {
  list: {
    ...reading,
    method: 'GET',
    path: '/api/appliance/v1/recordings',
    summary: 'Recordings of a tenant, newest first',
    query: search,
    response: dto('RecordingListDto', {
      items: z.array(RecordingDto).describe('Newest first.'),
      hasMore: z.boolean().describe('Whether there are older recordings that match.'),
    }),
  },
  get: {
    ...reading,
    method: 'GET',
    path: '/api/appliance/v1/recordings/:recordingId',
    summary: 'Facts about a recording',
    problems,
    params,
    response: RecordingDto,
  },
  remove: {
    ...onTenant('appliance.recordings.delete'),
    method: 'DELETE',
    path: '/api/appliance/v1/recordings/:recordingId',
    summary: 'Delete a recording for good',
    problems: { ...problems, 409: 'It is still being made.' },
    params,
  },
  read: {
    ...reading,
    method: 'POST',
    path: '/api/appliance/v1/recordings/:recordingId/readings',
    summary: 'Begin to read a recording; an event of the audit log names the reader',
    problems: { ...problems, 409: readingProblems[409] },
    params,
    response: RecordingReadingDto,
    status: 201,
  },
  block: {
    ...reading,
    method: 'GET',
    path: '/api/appliance/v1/recordings/:recordingId/readings/:readingId/blocks',
    summary: 'Entries of a block of a recording',
    description:
      'An entry is its kind (1 byte: 0 a message of the device, 1 input of the viewer as JSON, 2 an event of asciicast v2, 3 the end), milliseconds and length (4 bytes each, big-endian), and its content.',
    problems: readingProblems,
    params: readingParams,
    query: z.object({
      index: z.coerce.number().int().min(0).max(10_000_000).describe('Place of the block in the reading, from 0.'),
    }),
    response: z.unknown(),
    content: 'stream',
    mediaType: 'application/octet-stream',
  },
  asciicast: {
    ...reading,
    method: 'GET',
    path: '/api/appliance/v1/recordings/:recordingId/readings/:readingId/asciicast',
    summary: 'A recorded terminal as a file of asciicast v2',
    problems: { 400: 'The recording is of a screen.', 404: readingProblems[404] },
    params: readingParams,
    response: z.unknown(),
    content: 'stream',
    mediaType: 'application/x-asciicast',
  },
  policies: {
    method: 'GET',
    path: '/api/appliance/v1/recording-policies',
    summary: 'Which sessions of a tenant are recorded, and how long recordings are kept',
    access: { permission: 'tenant.settings.read', on: 'tenant' },
    tenant: 'queryOrClaim',
    response: policies,
  },
  replacePolicies: {
    method: 'PUT',
    path: '/api/appliance/v1/recording-policies',
    summary: 'Replace the policies of a tenant; sessions that run keep theirs',
    access: { permission: 'tenant.settings.write', on: 'tenant' },
    tenant: 'queryOrClaim',
    body: policies,
    response: policies,
  },
})

const ofSession = {
  access: 'authenticated',
  tenant: 'none',
  params: z.object({
    sessionId: id.describe(
      'A running session of the caller, by its id; of a terminal, also by the id of the terminal.',
    ),
  }),
  response: RecordingStateDto,
} as const
const noSession = { 404: 'The caller has no such session, or nothing may be recorded on its device.' } as const

/** Recording of the caller's own sessions. */
export const applianceSessionRecordings = defineRoutes('SessionRecordings', {
  state: {
    ...ofSession,
    method: 'GET',
    path: '/api/appliance/v1/sessions/:sessionId/recording',
    summary: 'Whether a session of the caller is recorded',
    problems: noSession,
  },
  start: {
    ...ofSession,
    method: 'POST',
    path: '/api/appliance/v1/sessions/:sessionId/recording',
    summary: 'Record a session of the caller from now on',
    problems: { ...noSession, 409: 'Nothing can be stored.' },
  },
  stop: {
    ...ofSession,
    method: 'DELETE',
    path: '/api/appliance/v1/sessions/:sessionId/recording',
    summary: 'End the recording of a session; the session goes on',
    problems: { ...noSession, 409: 'A policy requires the recording.' },
  },
  keep: {
    ...ofSession,
    method: 'POST',
    path: '/api/appliance/v1/sessions/:sessionId/recording/recent',
    summary: 'Keep the last two minutes of a session',
    problems: { ...noSession, 409: 'Nothing was shown yet, or nothing can be stored.' },
  },
})
