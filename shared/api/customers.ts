import { z } from 'zod'
import { dto, id, ids, listDto, resourceName, resourceText } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { CustomerResponseDto } from '../dtos/customer.ts'
import { mostOf } from '../row-limits.ts'

const params = z.object({ customerId: id.describe('The customer, by the `id` of `GET /api/v1/customers`.') })

export const CustomerRequestDto = dto('CustomerRequestDto', {
  name: resourceName.describe(
    '1 to 100 characters without control characters; blanks around it are removed. Unique in the tenant.',
  ),
  description: resourceText.describe('Free text of at most 500 characters; null or left out: none.'),
  notes: resourceText.describe('Internal remarks of at most 500 characters; null or left out: none.'),
})
export type CustomerRequestDto = z.output<typeof CustomerRequestDto>

export const AssignCustomerDevicesRequestDto = z
  .object({
    deviceIds: ids.nullish().describe('Devices that belong to this customer from now on.'),
    removeDeviceIds: ids.nullish().describe('Devices that leave this customer; those of another one stay there.'),
  })
  .refine(
    ({ deviceIds, removeDeviceIds }) => {
      const assigned = new Set(deviceIds)
      return !removeDeviceIds?.some((removed) => assigned.has(removed))
    },
    {
      path: ['removeDeviceIds'],
      message: 'must not name a device that deviceIds names too',
    },
  )
  .meta({ id: 'AssignCustomerDevicesRequestDto' })
export type AssignCustomerDevicesRequestDto = z.output<typeof AssignCustomerDevicesRequestDto>

export const customers = defineRoutes('Customers', {
  create: {
    method: 'POST',
    path: '/api/v1/customers',
    summary: 'Create a customer',
    access: { permission: 'tenant.customers.write', on: 'tenant' },
    tenant: 'query',
    body: CustomerRequestDto,
    response: CustomerResponseDto,
    status: 201,
    location: '/api/v1/customers/:id',
    problems: { 409: `Another customer of the tenant has the name, or the tenant has ${mostOf('customers')}.` },
  },
  list: {
    method: 'GET',
    path: '/api/v1/customers',
    summary: 'Customers of a tenant, by name',
    access: { permission: 'tenant.customers.read', on: 'tenant' },
    tenant: 'query',
    response: listDto(
      'CustomerListResponseDto',
      CustomerResponseDto,
      'All customers of the tenant, by name; not paged.',
    ),
  },
  get: {
    method: 'GET',
    path: '/api/v1/customers/:customerId',
    summary: 'One customer',
    access: { permission: 'tenant.customers.read', on: 'tenant' },
    tenant: 'query',
    params,
    response: CustomerResponseDto,
  },
  update: {
    method: 'PUT',
    path: '/api/v1/customers/:customerId',
    summary: 'Replace name, description and notes of a customer',
    access: { permission: 'tenant.customers.write', on: 'tenant' },
    tenant: 'query',
    params,
    body: CustomerRequestDto,
    response: CustomerResponseDto,
    problems: { 409: 'Another customer of the tenant has the name.' },
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/customers/:customerId',
    summary: 'Delete a customer; its devices stay, without a customer',
    access: { permission: 'tenant.customers.write', on: 'tenant' },
    tenant: 'query',
    params,
  },
  assignDevices: {
    method: 'POST',
    path: '/api/v1/customers/:customerId/devices',
    summary: 'Give devices to a customer and take others from it, all of them or none',
    access: { permission: 'tenant.customers.write', on: 'tenant' },
    tenant: 'query',
    params,
    body: AssignCustomerDevicesRequestDto,
  },
})
