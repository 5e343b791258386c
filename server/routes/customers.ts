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
  create: async (context, { tenantId, body }) => presentCustomer(await createCustomer(context, tenantId, body)),
  list: async ({ app }, { tenantId }) => ({ items: (await listCustomers(app, tenantId)).map(presentCustomer) }),
  get: async ({ app }, { tenantId, params }) => presentCustomer(await getCustomer(app, tenantId, params.customerId)),
  update: async (context, { tenantId, params, body }) =>
    presentCustomer(await updateCustomer(context, tenantId, params.customerId, body)),
  delete: (context, { tenantId, params }) => deleteCustomer(context, tenantId, params.customerId),
  assignDevices: (context, { tenantId, params, body }) =>
    assignCustomerDevices(context, tenantId, params.customerId, body),
})
