import { customers } from '../../shared/api/customers.ts'
import { presentCustomer } from '../presenters/customer.ts'
import {
  assignCustomerDevices,
  createCustomer,
  deleteCustomer,
  getCustomer,
  listCustomers,
  updateCustomer,
} from '../services/organization/customers.ts'
import { implement } from './implement.ts'

export const customerRoutes = implement(customers, {
  create: async (call, { tenantId, body }) => presentCustomer(await createCustomer(call, tenantId, body)),
  list: async (call, { tenantId }) => ({ items: (await listCustomers(call, tenantId)).map(presentCustomer) }),
  get: async (call, { tenantId, params }) => presentCustomer(await getCustomer(call, tenantId, params.customerId)),
  update: async (call, { tenantId, params, body }) =>
    presentCustomer(await updateCustomer(call, tenantId, params.customerId, body)),
  delete: (call, { tenantId, params }) => deleteCustomer(call, tenantId, params.customerId),
  assignDevices: (call, { tenantId, params, body }) => assignCustomerDevices(call, tenantId, params.customerId, body),
})
