import { z } from 'zod'
import { defineRoutes } from '../contract/route.ts'
import { dateTime, dto, id } from '../contract/fields.ts'
import { RuntimeId } from '../dtos/agent-bundle.ts'
import { ScopeKind } from '../dtos/permission-assignment.ts'
import { Pin } from '../server-identity.ts'

/** Data for the window about the appliance and the principal's rights. */
export const applianceStatus = defineRoutes('Status', {
  get: {
    method: 'GET',
    path: '/api/appliance/v1/status',
    summary: 'State of this appliance',
    isStable: true,
    access: 'authenticated',
    tenant: 'none',
    response: dto('ApplianceStatusDto', {
      version: z.string().describe('Version of this server, 2 to 4 numbers with dots.'),
      startedAt: dateTime.describe('When this process started.'),
      storage: z
        .enum(['ok', 'low', 'damaged'])
        .describe(
          '`low`: the disk of the server is almost full and uploads are refused. `damaged`: the database is damaged and nothing is stored.',
        ),
      isApart: z
        .boolean()
        .describe('Whether this server shares its database with others, and cannot exchange messages with them now.'),
      secretStore: z.enum(['keychain', 'file']).describe('Where the master key is kept.'),
      dataDirectory: z
        .string()
        .nullable()
        .describe('Null without `server.telemetry.read`: where things lie is nobody else’s business.'),
    }),
  },
  permissions: {
    method: 'GET',
    path: '/api/appliance/v1/session/permissions',
    summary: 'Names of the permissions that the caller holds anywhere, and whether the caller lacks a second factor',
    isStable: true,
    access: 'authenticated',
    tenant: 'none',
    whileSecondFactorMissing: true,
    response: dto('SessionPermissionsDto', {
      items: z.array(z.string()).describe('Names of permissions; each is held on at least one thing.'),
      missingSecondFactor: z
        .object({
          requiredFrom: dateTime.describe('From when on the caller needs a second factor.'),
          isRequired: z
            .boolean()
            .describe('Whether that is now: other routes answer 403 `second-factor-required` until one is set up.'),
        })
        .nullable()
        .describe('Null: the caller has a second factor, or the tenant requires none.'),
    }),
  },
  principal: {
    method: 'GET',
    path: '/api/appliance/v1/session/principal',
    summary: 'Who the caller is: its account, its credential and its rights',
    description:
      'For programs: whether a key works, until when, and what for. A deny within a scope is not listed: `effective-permissions` decides about one thing.',
    isStable: true,
    access: 'authenticated',
    tenant: 'none',
    response: dto(
      'SessionPrincipalDto',
      {
        kind: z.enum(['User', 'ServiceAccount']).describe('A token is its user, with another credential.'),
        id: id.describe('Id of the user or the service account.'),
        name: z.string().describe('Display name; of a user without one, its address.'),
        tenantId: id.nullable().describe('Null for a service account of the server, which may name any tenant.'),
        credential: z
          .object({
            kind: z
              .enum(['Session', 'BearerToken', 'LogonToken', 'PersonalAccessToken', 'ServiceAccountCredential'])
              .describe('How the caller signed in.'),
            id: id.nullable().describe('Id of the token or key; null for a sign-in.'),
            name: z.string().nullable().describe('Name that its maker gave the token or key; null for the rest.'),
            expiresAt: dateTime
              .nullable()
              .describe(
                'When it stops working; null for a key without an end, and for bearer tokens, which are renewed.',
              ),
          })
          .describe('What this request was made with.'),
        rights: z
          .array(
            z.object({
              permission: z.string().describe('Name of a permission that the caller holds somewhere.'),
              scopes: z
                .array(
                  z.object({
                    kind: ScopeKind.describe('What the permission was given on.'),
                    id: id.nullable().describe('Id of the tenant, customer, group or device; null for the server.'),
                  }),
                )
                .describe('Where it was given.'),
            }),
          )
          .describe('By the order of the catalog of permissions.'),
      },
      { description: 'Who a caller is, and what it may do.' },
    ),
  },
  deployment: {
    method: 'GET',
    path: '/api/appliance/v1/deployment',
    summary: 'What an install command needs: the address for agents, and the systems that an agent is here for',
    access: { permission: 'agent.install', on: 'tenant' },
    tenant: 'queryOrClaim',
    response: dto('DeploymentDto', {
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
            packageUrl: z
              .string()
              .nullable()
              .describe('Windows: path of the MSI package on this server; null where none was built.'),
          }),
        )
        .describe('Systems that this server has an agent for; empty while none is built.'),
      canBuildAgents: z
        .boolean()
        .describe('Whether the server has what builds those that are missing: it runs from a checkout.'),
    }),
  },
})
