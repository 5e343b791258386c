import { z } from 'zod'
import { dto, id } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'

const access = { permission: 'agent.install', on: 'tenant' } as const

export const deploymentOptions = defineRoutes('DeploymentOptions', {
  get: {
    method: 'GET',
    path: '/api/v1/deployment-options',
    summary: 'What the tenant wants in its install commands',
    access,
    tenant: 'query',
    response: dto('DeploymentOptionsDto', {
      appendInstanceId: z.boolean().describe('Install commands name the instance.'),
      instanceId: z
        .string()
        .nullable()
        .describe('Name of the instance in install commands, at most 64 characters; null: the default instance.'),
    }),
  },
  tagCapability: {
    method: 'POST',
    path: '/api/v1/deployment-options/tag-capability',
    summary: 'Whether the caller may set tags on a device that is to be installed',
    access,
    tenant: 'query',
    body: dto('TagCapabilityRequestDto', {
      deviceId: id.nullish().describe('A device that may exist already.'),
      customerId: id.nullish().describe('Customer that a new device is for.'),
    }),
    response: dto('TagCapabilityResponseDto', {
      allowed: z.boolean().describe('Whether an installer key of the caller may set tags on that device.'),
    }),
  },
})
