import { z } from 'zod'
import { dto, id, ids } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { mostOf } from '../row-limits.ts'
import { DeviceResponseDto, DeviceUpdateRequestDto } from '../dtos/device.ts'

export const RegisterDeviceRequestDto = dto('RegisterDeviceRequestDto', {
  device: DeviceUpdateRequestDto.extend({
    tenantId: id.nullish().describe('Tenant of the installer key; left out or zero: that one.'),
  }).describe('First report of the device.'),
  installerKeyId: id.describe('Id of the installer key.'),
  installerKeySecret: z.string().min(1).max(1000).describe('Secret of the key, as it was shown when it was made.'),
  publicKey: z
    .string()
    .max(100)
    .nullish()
    .transform((key) => key?.trim() || null)
    .describe('Base64 of the 32 raw Ed25519 bytes; blank counts as none.'),
  tagIds: ids
    .nullish()
    .describe('Replaces the tags of the device; ids unknown in the tenant are ignored, and null keeps the tags.'),
  customerId: id.nullish().describe('Customer of the device; null keeps the present one.'),
})
export type RegisterDeviceRequestDto = z.output<typeof RegisterDeviceRequestDto>

const register = {
  method: 'POST',
  access: 'anonymous',
  tenant: 'none',
  body: RegisterDeviceRequestDto,
  response: DeviceResponseDto,
  problems: { 409: `The tenant has ${mostOf('devices')}.` },
  limitedAttempts: 'guesses',
} as const

export const agentDevices = defineRoutes('AgentDevices', {
  register: { ...register, path: '/api/agent/devices', summary: 'Register a device with an installer key' },
  registerLegacy: {
    ...register,
    path: '/api/devices',
    summary: 'Register a device with an installer key, for older agents',
  },
})
