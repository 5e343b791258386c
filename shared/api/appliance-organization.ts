import { z } from 'zod'
import { dateTime, dto, id, listDto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { tagId } from '../dtos/references.ts'

const customerId = id.describe('The customer, by the `id` of `GET /api/v1/customers`.')
const deviceGroupId = id.describe('The group, by the `id` of `GET /api/v1/device-groups`.')
const readCustomers = { permission: 'tenant.customers.read', on: 'tenant' } as const
const writeCustomers = { permission: 'tenant.customers.write', on: 'tenant' } as const
const writeTags = { permission: 'tenant.tags.write', on: 'tenant' } as const

export const tagColors = ['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'violet', 'pink'] as const
export type TagColor = (typeof tagColors)[number]

const TagOverviewDto = dto('TagOverviewDto', {
  id: tagId,
  name: z.string().describe('Name of the tag.'),
  color: z.enum(tagColors).nullable().describe('Color in the page; null: the usual one.'),
  deviceCount: z.number().int().describe('Devices with the tag that the caller may read.'),
})
export type TagOverviewDto = z.output<typeof TagOverviewDto>

/** Most contacts of a customer. */
export const maxContacts = 20

const line = (max: number) =>
  z
    .string()
    .trim()
    .max(max, { abort: true })
    .regex(/^[^\x00-\x1f\x7f-\x9f]*$/, 'must not contain control characters')

const ContactDto = dto('CustomerContactDto', {
  name: line(100).min(1, 'must not be blank').describe('Name of the person or the desk.'),
  role: line(100).default('').describe('What the person does there; empty if unknown.'),
  email: line(254).default('').describe('Address; empty if unknown.'),
  phone: line(50).default('').describe('Number as it is dialed; empty if unknown.'),
})
export type ContactDto = z.output<typeof ContactDto>

export const CustomerDetailsRequestDto = dto('CustomerDetailsRequestDto', {
  parentId: customerId
    .nullable()
    .default(null)
    .describe('Customer of which this one is a site; null for none. A site has no sites.'),
  contacts: z.array(ContactDto).max(maxContacts).default([]).describe('People to call, in this order.'),
})
export type CustomerDetailsRequestDto = z.output<typeof CustomerDetailsRequestDto>

const CustomerDetailsDto = CustomerDetailsRequestDto.extend({ customerId }).meta({ id: 'CustomerDetailsDto' })
export type CustomerDetailsDto = z.output<typeof CustomerDetailsDto>

const merged = (dto: string, description: string) =>
  z.object({ movedDevices: z.number().int().describe(description) }).meta({ id: dto })

const requiredFrom = dateTime
  .nullable()
  .describe('From when on people need a second factor; they may go on without until then. Null: it is not required.')

const SecondFactorRuleDto = dto('SecondFactorRuleDto', {
  requiredFrom,
  peopleWithout: z
    .int()
    .describe(
      'Enabled accounts with a password and neither authenticator app nor passkey. Who signs in through a provider alone is not among them.',
    ),
  names: z.array(z.string()).describe('The first five of them by name; none without `tenant.users.read`.'),
  accessTokens: z.int().describe('Access tokens of these people, which are rejected from the date on.'),
})
export type SecondFactorRuleDto = z.output<typeof SecondFactorRuleDto>

/** Rules of the tenant for its people, and details of customers and tags beside their V1 rows. */
export const applianceOrganization = defineRoutes('Organization', {
  name: {
    method: 'GET',
    path: '/api/appliance/v1/organization',
    summary: 'Name of a tenant, for its own people',
    access: { permission: 'tenant.settings.read', on: 'tenant' },
    tenant: 'queryOrClaim',
    response: dto('OrganizationDto', { name: z.string().describe('Name of the tenant.') }),
  },
  secondFactor: {
    method: 'GET',
    path: '/api/appliance/v1/second-factor-rule',
    summary: 'Whether the tenant requires a second factor, and who has none',
    access: { permission: 'tenant.settings.read', on: 'tenant' },
    tenant: 'queryOrClaim',
    response: SecondFactorRuleDto,
  },
  setSecondFactor: {
    method: 'PUT',
    path: '/api/appliance/v1/second-factor-rule',
    summary: 'Require a second factor from a date on, or no longer',
    description:
      'From the date on, every request of a person without one is answered 403 `second-factor-required`, with any credential, but for those that set one up. Service accounts and guests of a link need none.',
    problems: { 409: 'The caller has no second factor.' },
    access: { permission: 'tenant.settings.write', on: 'tenant' },
    recentProof: true,
    tenant: 'queryOrClaim',
    body: dto('SecondFactorRuleRequestDto', { requiredFrom }),
  },
  tags: {
    method: 'GET',
    path: '/api/appliance/v1/tags',
    summary: 'Tags with color and number of devices, by name',
    access: 'authenticated',
    tenant: 'queryOrClaim',
    response: listDto('TagOverviewListDto', TagOverviewDto, 'All tags of the tenant; not paged.'),
  },
  setTagColor: {
    method: 'PUT',
    path: '/api/appliance/v1/tags/:tagId/color',
    summary: 'Set the color of a tag',
    access: writeTags,
    tenant: 'queryOrClaim',
    params: z.object({ tagId }),
    body: dto('TagColorRequestDto', { color: z.enum(tagColors).nullable().describe('Null: the usual one.') }),
  },
  mergeTag: {
    method: 'POST',
    path: '/api/appliance/v1/tags/:tagId/merge',
    summary: 'Move the devices of a tag to another tag, and delete the tag',
    description:
      'Also needs `device.tags.write` on every device that the other tag is new to; otherwise answers 403 and changes nothing.',
    access: writeTags,
    tenant: 'queryOrClaim',
    params: z.object({ tagId }),
    body: dto('MergeTagRequestDto', { intoTagId: tagId.describe('Tag that stays.') }),
    response: merged('MergedTagDto', 'Devices that got the other tag.'),
  },
  customers: {
    method: 'GET',
    path: '/api/appliance/v1/customers',
    summary: 'Parents and contacts of customers; customers with neither are left out',
    access: readCustomers,
    tenant: 'queryOrClaim',
    response: listDto('CustomerDetailsListDto', CustomerDetailsDto, 'One for each customer with a parent or contacts.'),
  },
  setCustomer: {
    method: 'PUT',
    path: '/api/appliance/v1/customers/:customerId',
    summary: 'Replace parent and contacts of a customer',
    description: 'A site is a customer of its own: rights on a customer give none on its sites.',
    access: writeCustomers,
    tenant: 'queryOrClaim',
    params: z.object({ customerId }),
    body: CustomerDetailsRequestDto,
  },
  mergeCustomer: {
    method: 'POST',
    path: '/api/appliance/v1/customers/:customerId/merge',
    summary: 'Move devices, sites, contacts and note of a customer to another customer, and delete the customer',
    description:
      'Rights on the deleted customer end. Answers 400 and changes nothing where contacts or note would not fit, or where a site would get sites.',
    access: writeCustomers,
    tenant: 'queryOrClaim',
    params: z.object({ customerId }),
    body: dto('MergeCustomerRequestDto', { intoCustomerId: customerId.describe('Customer that stays.') }),
    response: merged('MergedCustomerDto', 'Devices that changed their customer.'),
  },
  mergeDeviceGroup: {
    method: 'POST',
    path: '/api/appliance/v1/device-groups/:deviceGroupId/merge',
    summary: 'Move the devices of a device group to another group, and delete the group',
    description:
      'Also needs `device-group.assign-devices` on both groups; otherwise answers 403 and changes nothing. Rights on the deleted group end.',
    access: { permission: 'tenant.device-groups.write', on: 'tenant' },
    tenant: 'queryOrClaim',
    params: z.object({ deviceGroupId }),
    body: dto('MergeDeviceGroupRequestDto', { intoDeviceGroupId: deviceGroupId.describe('Group that stays.') }),
    response: merged('MergedDeviceGroupDto', 'Devices that are new to the other group.'),
  },
})
