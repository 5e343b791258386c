import { z } from 'zod'
import { id } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { AgentDueDto, UpdateStateDto } from '../dtos/update.ts'
import { releaseVersion } from '../release.ts'

const administrator = { permission: 'server.settings.write', on: 'server' } as const
const change = { method: 'POST', access: administrator, tenant: 'none', response: UpdateStateDto } as const

/** Versions of the appliance, and how its agents follow. */
export const applianceUpdates = defineRoutes('Updates', {
  state: {
    method: 'GET',
    path: '/api/appliance/v1/updates',
    summary: 'Version that runs, what the feed offers, updates that were made, and how agents follow',
    access: { permission: 'server.telemetry.read', on: 'server' },
    tenant: 'none',
    response: UpdateStateDto,
  },
  check: {
    ...change,
    path: '/api/appliance/v1/updates/check',
    summary: 'Look at the feed now',
    problems: { 409: 'No feed is set.' },
  },
  install: {
    ...change,
    path: '/api/appliance/v1/updates/install',
    summary: 'Install the offered version',
    description:
      'Downloads and verifies the release, then restarts the server. The new version is kept if it answers and nine of ten devices are back within five minutes; otherwise the previous version runs again with the earlier data.',
    problems: {
      409: 'This version is not offered any more, an update runs already, or this copy cannot replace itself.',
    },
    recentProof: true,
    body: z
      .object({ version: releaseVersion.describe('Version as `offered` names it.') })
      .meta({ id: 'InstallUpdateDto', examples: [{ version: '0.2.0.0' }] }),
  },
  back: {
    ...change,
    path: '/api/appliance/v1/updates/back',
    summary: 'Go back to the previous version',
    description:
      'Restarts the server. If the previous version cannot read the present data, the data from the time of the update is put back, and the present data is moved aside in the data folder.',
    problems: { 409: 'No previous version is kept, or an update is already running.' },
    recentProof: true,
  },
  resumeRollout: {
    ...change,
    path: '/api/appliance/v1/updates/agents/resume',
    summary: 'Go on with the stopped rollouts of the agent; devices that failed count no more',
    problems: { 409: 'No rollout is stopped.' },
  },
  isDue: {
    method: 'GET',
    path: '/api/appliance/v1/updates/agents/due/:deviceId',
    summary: 'Whether a device may install the offered agent now, without being asked',
    description:
      'Asked by agents before an update that nobody requested. Each tenant decides for its devices; an unknown device is not due.',
    access: 'anonymous',
    tenant: 'none',
    params: z.object({ deviceId: id.describe('Device that asks.') }),
    query: z.object({ version: z.string().max(100).describe('Version of the agent that asks.') }),
    response: AgentDueDto,
  },
})
