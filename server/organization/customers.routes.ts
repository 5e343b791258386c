import { applianceOrganization } from '../../shared/api/appliance-organization.ts'
import { customers } from '../../shared/api/customers.ts'
import { implement } from '../surface/implement.ts'
import { listTagOverview, mergeTag, setTagColor } from '../devices/tag-administration.ts'
import { listCustomerDetails, setCustomerDetails } from './customer-details.ts'
import { mergeCustomer } from './customer-merge.ts'
import {
  assignCustomerDevices,
  createCustomer,
  deleteCustomer,
  getCustomer,
  listCustomers,
  updateCustomer,
} from './customers.ts'
import { mergeDeviceGroup } from './groups.ts'
import { presentCustomer } from './present.ts'
import { readSecondFactorRule, setSecondFactorRule } from './second-factor-rule.ts'
import { nameOfTenant } from './tenants.ts'

export const customerRoutes = implement(customers, {
  create: async (call, { tenantId, body }) => presentCustomer(await createCustomer(call, tenantId, body)),
  list: async (call, { tenantId }) => ({ items: (await listCustomers(call, tenantId)).map(presentCustomer) }),
  get: async (call, { tenantId, params }) => presentCustomer(await getCustomer(call, tenantId, params.customerId)),
  update: async (call, { tenantId, params, body }) =>
    presentCustomer(await updateCustomer(call, tenantId, params.customerId, body)),
  delete: (call, { tenantId, params }) => deleteCustomer(call, tenantId, params.customerId),
  assignDevices: (call, { tenantId, params, body }) => assignCustomerDevices(call, tenantId, params.customerId, body),
})

export const applianceOrganizationRoutes = implement(applianceOrganization, {
  name: async (call, { tenantId }) => ({ name: await nameOfTenant(call, tenantId) }),
  secondFactor: (call, { tenantId }) => readSecondFactorRule(call, tenantId),
  setSecondFactor: (call, { tenantId, body: { requiredFrom } }) =>
    setSecondFactorRule(call, tenantId, requiredFrom === null ? null : Date.parse(requiredFrom)),
  tags: async (call, { tenantId }) => ({ items: await listTagOverview(call, tenantId) }),
  setTagColor: (call, { tenantId, params, body }) => setTagColor(call, tenantId, params.tagId, body.color),
  mergeTag: async (call, { tenantId, params, body }) => ({
    movedDevices: await mergeTag(call, tenantId, params.tagId, body.intoTagId),
  }),
  customers: async (call, { tenantId }) => ({ items: await listCustomerDetails(call, tenantId) }),
  setCustomer: (call, { tenantId, params, body }) => setCustomerDetails(call, tenantId, params.customerId, body),
  mergeCustomer: async (call, { tenantId, params, body }) => ({
    movedDevices: await mergeCustomer(call, tenantId, params.customerId, body.intoCustomerId),
  }),
  mergeDeviceGroup: async (call, { tenantId, params, body }) => ({
    movedDevices: await mergeDeviceGroup(call, tenantId, params.deviceGroupId, body.intoDeviceGroupId),
  }),
})
