import { applianceRecordings, applianceSessionRecordings } from '../../shared/api/appliance-recordings.ts'
import type { Download } from '../../shared/contract/transfer.ts'
import type { Call } from '../call/call.ts'
import { conflict, found } from '../ground/errors.ts'
import { implement } from '../surface/implement.ts'
import { policiesOf, replacePolicies } from './policies.ts'
import { presentPolicy, presentRecording } from './present.ts'
import { beginReading, exportTerminal, readBlock } from './readings.ts'
import { deleteRecording, findRecording, searchRecordings } from './recordings.ts'

export const applianceRecordingRoutes = implement(applianceRecordings, {
  list: async (call, { tenantId, query }) => {
    const { rows, hasMore } = await searchRecordings(call, tenantId, query)
    return { items: rows.map(presentRecording), hasMore }
  },
  get: async ({ app }, { tenantId, params }) =>
    presentRecording(await findRecording(app, tenantId, params.recordingId)),
  remove: (call, { tenantId, params }) => deleteRecording(call, tenantId, params.recordingId),
  read: (call, { tenantId, params }) => beginReading(call, tenantId, params.recordingId),
  block: (call, { tenantId, params, query }) => readBlock(call, tenantId, { ...params, ...query }),
  asciicast: async (call, { tenantId, params }): Promise<Download> => {
    const { body, name } = await exportTerminal(call, tenantId, params.recordingId, params.readingId)
    return { body, file: { name, disposition: 'attachment' } }
  },
  policies: async ({ app }, { tenantId }) => ({ items: (await policiesOf(app, tenantId)).map(presentPolicy) }),
  replacePolicies: async (call, { tenantId, body }) => ({
    items: (await replacePolicies(call, tenantId, body.items)).map(presentPolicy),
  }),
})

const recorderOf = ({ app, principal }: Call, sessionId: string) =>
  found(app.recorders.find(principal, sessionId), 'recorded session')

export const applianceSessionRecordingRoutes = implement(applianceSessionRecordings, {
  state: (call, { params }) => recorderOf(call, params.sessionId).state,
  start: async (call, { params }) => {
    const recorder = recorderOf(call, params.sessionId)
    if (!recorder.isRecording) {
      await recorder.start(call.actor, 'button')
    }
    return recorder.state
  },
  stop: async (call, { params }) => {
    const recorder = recorderOf(call, params.sessionId)
    if (recorder.mode === 'always') {
      throw conflict('A policy requires that this session is recorded. End the session to end its recording.')
    }
    await recorder.stop(call.actor)
    return recorder.state
  },
  keep: async (call, { params }) => {
    const recorder = recorderOf(call, params.sessionId)
    await recorder.keep(call.actor)
    return recorder.state
  },
})
