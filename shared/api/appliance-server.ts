import { z } from 'zod'
import { defineRoutes } from '../contract/route.ts'
import {
  ChangeServerSettingsDto,
  DecommissionDto,
  ServerLogDto,
  ServerSettingListDto,
  ServerStateDto,
} from '../dtos/server-setting.ts'

const administrator = { permission: 'server.settings.write', on: 'server' } as const
const reader = { permission: 'server.telemetry.read', on: 'server' } as const

/** State and settings of the server. */
export const applianceServer = defineRoutes('Server', {
  state: {
    method: 'GET',
    path: '/api/appliance/v1/server/state',
    summary: 'State of the server: sizes, connections, where things are',
    access: reader,
    tenant: 'none',
    response: ServerStateDto,
  },
  log: {
    method: 'GET',
    path: '/api/appliance/v1/server/log',
    summary: 'Newest lines of the log of the server, where it is kept in a file',
    access: reader,
    tenant: 'none',
    query: z.object({
      level: z.enum(['info', 'warn', 'error']).default('info').describe('Lowest level returned.'),
      search: z.string().max(200).default('').describe('Text that lines contain; case does not count.'),
    }),
    response: ServerLogDto,
  },
  settings: {
    method: 'GET',
    path: '/api/appliance/v1/server/settings',
    summary: 'Settings in force, with their source',
    access: administrator,
    tenant: 'none',
    response: ServerSettingListDto,
  },
  changeSettings: {
    method: 'PATCH',
    path: '/api/appliance/v1/server/settings',
    summary: 'Store settings of the server or remove stored ones; works at once',
    description:
      'A stored value takes the place of a default and yields to file and environment. Mail settings need `server.permissions.write` besides: links that reset passwords are sent through that server.',
    problems: {
      400: 'A value is not accepted, or a secret would be sent to a place that it was not entered for.',
      409: 'File or environment decide the setting.',
    },
    access: administrator,
    recentProof: true,
    tenant: 'none',
    body: ChangeServerSettingsDto,
    response: ServerSettingListDto,
  },
  decommission: {
    method: 'POST',
    path: '/api/appliance/v1/server/decommission',
    summary:
      'Give the server up, or stop doing so: every agent that reports uninstalls itself, and its device is deleted',
    problems: { 400: 'The name is not the one of this server.', 409: 'File or environment decide it.' },
    access: { permission: 'server.permissions.write', on: 'server' },
    recentProof: true,
    tenant: 'none',
    body: DecommissionDto,
    response: DecommissionDto.pick({ isEnabled: true }).meta({ id: 'DecommissionStateDto' }),
  },
})
