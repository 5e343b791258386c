import { applianceOrganization } from '../../shared/api/appliance-organization.ts'
import { listTagOverview, mergeTag, setTagColor } from '../services/devices/tag-administration.ts'
import { listCustomerDetails, setCustomerDetails } from '../services/organization/customer-details.ts'
import { mergeCustomer } from '../services/organization/customer-merge.ts'
import { mergeDeviceGroup } from '../services/organization/groups.ts'
import { readSecondFactorRule, setSecondFactorRule } from '../services/organization/second-factor-rule.ts'
import { nameOfTenant } from '../services/organization/tenants.ts'
import { implement } from './implement.ts'

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
