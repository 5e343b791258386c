import { z } from 'zod'
import { defineRoutes } from '../contract/route.ts'
import { dateTime } from '../contract/fields.ts'
import { RuntimeId } from '../dtos/agent-bundle.ts'
import { Pin } from '../server-identity.ts'

/** What the window shows about the appliance and about the principal's rights. */
export const applianceStatus = defineRoutes('Status', {
  get: {
    method: 'GET',
    path: '/api/appliance/v1/status',
    summary: 'State of this appliance',
    access: 'authenticated',
    tenant: 'none',
    response: z
      .object({
        version: z.string(),
        startedAt: dateTime,
        secretStore: z.enum(['keychain', 'file']).meta({ description: 'Where the master key is kept.' }),
        dataDirectory: z
          .string()
          .nullable()
          .meta({ description: 'Null without `server.telemetry.read`: where things lie is nobody else’s business.' }),
      })
      .meta({ id: 'ApplianceStatusDto' }),
  },
  permissions: {
    method: 'GET',
    path: '/api/appliance/v1/session/permissions',
    summary: 'Names of the permissions that the caller holds anywhere',
    access: 'authenticated',
    tenant: 'none',
    response: z.object({ items: z.array(z.string()) }).meta({ id: 'SessionPermissionsDto' }),
  },
  deployment: {
    method: 'GET',
    path: '/api/appliance/v1/deployment',
    summary: 'What an install command needs: the address for agents, and the systems that an agent is here for',
    access: { permission: 'agent.install', on: 'tenant' },
    tenant: 'query',
    response: z
      .object({
        serverUrl: z.string().meta({ description: 'Address that agents use, without a trailing slash.' }),
        serverPin: Pin.nullable().meta({
          description:
            'Key that the server shows at this address; null where it is not encrypted, or a proxy shows another.',
        }),
        isReachableFromNetwork: z
          .boolean()
          .meta({ description: 'False while the server listens on this machine only.' }),
        instanceId: z.string().nullable().meta({ description: 'What the tenant wants install commands to name.' }),
        installers: z.array(z.object({ runtime: RuntimeId, downloadUrl: z.string() })),
        canBuildAgents: z
          .boolean()
          .meta({ description: 'Whether the server has what builds those that are missing: it runs from a checkout.' }),
      })
      .meta({ id: 'DeploymentDto' }),
  },
})
