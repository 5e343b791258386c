import { z } from 'zod'
import { dto, id, ids, listDto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { Pin } from '../server-identity.ts'
import { RuntimeId } from '../dtos/agent-bundle.ts'
import { CreateInstallerKeyResponseDto } from '../dtos/installer-key.ts'
import { NewKeyDto, withUses } from './installer-keys.ts'
import { mostOf } from '../row-limits.ts'

const write = { permission: 'installer-key.write', on: 'tenant' } as const

/** Most groups and tags of a placement. */
const some = ids.max(50)

export const PlacementDto = dto('InstallerKeyPlacementDto', {
  customerId: id.nullable().default(null).describe('Customer of new devices; null for none.'),
  deviceGroupIds: some
    .default([])
    .describe('Groups of new devices; needs `device-group.assign-devices` on each. At most 50.'),
  tagIds: some.default([]).describe('Tags of new devices; needs `device.tags.write` on them. At most 50.'),
})
export type PlacementDto = z.output<typeof PlacementDto>

export const CreateDeploymentDto = withUses(
  z.object({
    tenantId: id.optional().describe('Tenant that new devices belong to. Left out: the tenant of the caller.'),
    ...NewKeyDto.shape,
    placement: PlacementDto.prefault({}).describe('Where devices that register with the key for the first time go.'),
  }),
)
  .refine(({ keyType, expiration }) => keyType !== 'TimeBased' || expiration != null, {
    path: ['expiration'],
    message: 'is required for a time-based key',
  })
  .meta({ id: 'CreateDeploymentDto' })

const CommandDto = dto('DeploymentCommandDto', {
  runtime: RuntimeId.describe('System and processor that the command is for.'),
  command: z
    .string()
    .describe('For a shell: PowerShell as administrator on Windows, otherwise sh, which asks for sudo where it is.'),
  silentCommand: z
    .string()
    .nullable()
    .describe('Windows: for `cmd.exe`, Intune and group policy; exits with 0 only if the agent is installed.'),
  packageUrl: z
    .string()
    .nullable()
    .describe('Windows: path of the MSI package on this server; null where none was built.'),
  packageCommand: z
    .string()
    .nullable()
    .describe('Installs that package from the current folder; null where `packageUrl` is, and for a named instance.'),
  scriptName: z.string().describe('Name of the script file.'),
  script: z.string().describe('The same as a file, such as for `ansible.builtin.script`.'),
})

export const CreatedDeploymentDto = dto('CreatedDeploymentDto', {
  key: CreateInstallerKeyResponseDto.describe('The new installer key; the commands contain its secret.'),
  serverUrl: z.string().describe('Address that agents use, without a trailing slash.'),
  serverPin: Pin.nullable().describe('Key that the commands insist on; null where a proxy shows another.'),
  commands: z.array(CommandDto).describe('One for each system that this server has an agent for.'),
})

/** Installer keys with a place for new devices, and their install commands. */
export const applianceDeployments = defineRoutes('Deployments', {
  create: {
    method: 'POST',
    path: '/api/appliance/v1/deployments',
    summary: 'Create an installer key for a roll-out, and get its install commands with the pin of the server',
    description:
      'Needs `agent.install`, too. New devices get the customer, groups and tags of the placement, as long as the creator of the key may give them. An agent that names a customer or tags itself keeps them.',
    problems: { 409: `The tenant has ${mostOf('valid installer keys')}.` },
    isStable: true,
    access: write,
    tenant: 'bodyOrClaim',
    body: CreateDeploymentDto,
    response: CreatedDeploymentDto,
    status: 201,
  },
  placements: {
    method: 'GET',
    path: '/api/appliance/v1/installer-key-placements',
    summary: 'Where the devices of installer keys go; keys without a place are left out',
    access: { permission: 'installer-key.read', on: 'tenant' },
    tenant: 'queryOrClaim',
    response: listDto(
      'PlacementListDto',
      PlacementDto.extend({ keyId: id.describe('The installer key.') }).meta({ id: 'PlacementOfKeyDto' }),
      'One for each key with a place; not paged.',
    ),
  },
})
