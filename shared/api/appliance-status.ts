import { z } from 'zod'
import { defineRoutes } from '../contract/route.ts'
import { dateTime } from '../contract/fields.ts'
import { RuntimeId } from '../dtos/agent-bundle.ts'
import { Pin } from '../server-identity.ts'

/** Data for the window about the appliance and the principal's rights. */
export const applianceStatus = defineRoutes('Status', {
  get: {
    method: 'GET',
    path: '/api/appliance/v1/status',
    summary: 'State of this appliance',
    access: 'authenticated',
    tenant: 'none',
    response: z
      .object({
        version: z.string().describe('Version of this server, 2 to 4 numbers with dots.'),
        startedAt: dateTime.describe('When this process started.'),
        storage: z
          .enum(['ok', 'low', 'damaged'])
          .describe(
            '`low`: the disk of the server is almost full and uploads are refused. `damaged`: the database is damaged and nothing is stored.',
          ),
        secretStore: z.enum(['keychain', 'file']).describe('Where the master key is kept.'),
        dataDirectory: z
          .string()
          .nullable()
          .describe('Null without `server.telemetry.read`: where things lie is nobody else’s business.'),
      })
      .meta({ id: 'ApplianceStatusDto' }),
  },
  permissions: {
    method: 'GET',
    path: '/api/appliance/v1/session/permissions',
    summary: 'Names of the permissions that the caller holds anywhere',
    access: 'authenticated',
    tenant: 'none',
    response: z
      .object({ items: z.array(z.string()).describe('Names of permissions; each is held on at least one thing.') })
      .meta({ id: 'SessionPermissionsDto' }),
  },
  deployment: {
    method: 'GET',
    path: '/api/appliance/v1/deployment',
    summary: 'What an install command needs: the address for agents, and the systems that an agent is here for',
    access: { permission: 'agent.install', on: 'tenant' },
    tenant: 'queryOrClaim',
    response: z
      .object({
        serverUrl: z.string().describe('Address that agents use, without a trailing slash.'),
        serverPin: Pin.nullable().describe(
          'Key that the server shows at this address; null where it is not encrypted, or a proxy shows another.',
        ),
        isReachableFromNetwork: z.boolean().describe('False while the server listens on this machine only.'),
        instanceId: z.string().nullable().describe('What the tenant wants install commands to name.'),
        installers: z
          .array(
            z.object({
              runtime: RuntimeId.describe('System and processor that the installer is for.'),
              downloadUrl: z.string().describe('Path of the installer on this server.'),
            }),
          )
          .describe('Systems that this server has an agent for; empty while none is built.'),
        canBuildAgents: z
          .boolean()
          .describe('Whether the server has what builds those that are missing: it runs from a checkout.'),
      })
      .meta({ id: 'DeploymentDto' }),
  },
})
