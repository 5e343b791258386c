import { z } from 'zod'
import { devicePermissions } from '../access.ts'
import { createdAt, dto, id, ownId, resourceName } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { ConsentAnswers, ConsentMode, ConsentRule, consentSubjects, policyId } from '../dtos/consent.ts'
import { deviceId, tagId } from '../dtos/references.ts'

/** Most policies of an organization. */
export const maxConsentPolicies = 100

const fields = {
  name: resourceName.describe('Name for people, who see it where they are asked to wait or refused.'),
  customerId: id
    .nullable()
    .describe('Limits it to the devices of this customer and of its sites, by the `id` of `GET /api/v1/customers`.'),
  tagId: tagId.nullable().describe('Limits it to devices with this tag, by the `id` of `GET /api/v1/tags`.'),
  exceptPermission: z
    .enum(devicePermissions)
    .nullable()
    .describe('Visitors with this permission on the device are not asked; null: it holds for everybody.'),
  control: ConsentMode,
  viewing: ConsentMode,
  terminal: ConsentMode,
  files: ConsentMode,
  allowsSilence: ConsentRule.shape.allowsSilence,
}

const ConsentPolicyBody = z.object(fields).meta({ id: 'ConsentPolicyRequestDto' })
export type ConsentPolicyBody = z.output<typeof ConsentPolicyBody>

const ConsentPolicyDto = dto('ConsentPolicyDto', { id: ownId, ...fields, createdAt })
export type ConsentPolicyDto = z.output<typeof ConsentPolicyDto>

const AppliedRule = ConsentRule.extend({
  policies: z.array(z.string()).describe('Names of the policies that ask.'),
  asksNow: z
    .boolean()
    .describe('Whether a visit of the caller that begins now waits for an answer of the person, as far as is known.'),
}).meta({ id: 'AppliedConsentRule' })

const DeviceConsentDto = dto('DeviceConsentDto', {
  rules: z
    .record(z.enum(consentSubjects), AppliedRule)
    .describe('What holds for the caller now, the strictest of all policies.'),
  canAsk: z.boolean().describe('Whether the connected agent enforces the rules; agents of other makes do not.'),
  answers: ConsentAnswers.describe('Answers of the people at the device; none while it is offline.'),
})
export type DeviceConsentDto = z.output<typeof DeviceConsentDto>

const read = { permission: 'tenant.settings.read', on: 'tenant' } as const
const write = { permission: 'tenant.settings.write', on: 'tenant' } as const
const own = {
  access: write,
  tenant: 'queryOrClaim',
  params: z.object({ policyId }),
  problems: { 404: 'There is none in this organization.' },
} as const
const params = z.object({ deviceId })

/** Policies that ask the person at a device before a visit, and the standing answers of that person. */
export const applianceConsent = defineRoutes('Consent', {
  list: {
    method: 'GET',
    path: '/api/appliance/v1/consent-policies',
    summary: 'Policies of an organization, by name',
    access: read,
    tenant: 'queryOrClaim',
    response: dto('ConsentPolicyListDto', {
      items: z.array(ConsentPolicyDto).describe(`At most ${maxConsentPolicies}; not paged.`),
    }),
  },
  create: {
    method: 'POST',
    path: '/api/appliance/v1/consent-policies',
    summary: 'Make a policy, which holds for visits that begin from now on',
    problems: { 409: `The organization has ${maxConsentPolicies} policies already.` },
    access: write,
    tenant: 'queryOrClaim',
    body: ConsentPolicyBody,
    response: ConsentPolicyDto,
    status: 201,
  },
  update: {
    ...own,
    method: 'PUT',
    path: '/api/appliance/v1/consent-policies/:policyId',
    summary: 'Change a policy, for visits that begin from now on',
    body: ConsentPolicyBody,
    response: ConsentPolicyDto,
  },
  delete: {
    ...own,
    method: 'DELETE',
    path: '/api/appliance/v1/consent-policies/:policyId',
    summary: 'Delete a policy',
  },
  device: {
    method: 'GET',
    path: '/api/appliance/v1/devices/:deviceId/consent',
    summary: 'Whether the person at a device is asked before a visit of the caller, and what that person has answered',
    access: { permission: 'device.read', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params,
    response: DeviceConsentDto,
  },
  clear: {
    method: 'DELETE',
    path: '/api/appliance/v1/devices/:deviceId/consent',
    summary: 'Remove the standing answers of the people at a device',
    problems: { 404: 'There is no such device in this organization.', 400: 'The device is not connected.' },
    access: write,
    tenant: 'queryOrClaim',
    params,
  },
})
