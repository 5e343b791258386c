import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import type { CustomerDetailsDto, CustomerDetailsRequestDto } from '../../shared/api/appliance-organization.ts'
import type { App, Call, OpenCall } from '../call/call.ts'
import { invalid } from '../ground/errors.ts'
import type { CustomerContactRow, CustomerParentRow } from './tables.ts'
import { findOfTenant } from './tenant-rows.ts'

const contactOf = ({ name, role, email, phone }: CustomerContactRow) => ({ name, role, email, phone })

/** Parents and contacts of the customers of a tenant. */
export async function listCustomerDetails(
  { app: { database } }: OpenCall,
  tenantId: string,
): Promise<CustomerDetailsDto[]> {
  const [parents, contacts] = await Promise.all([
    database.all<CustomerParentRow>(
      'SELECT p.* FROM customer_parents AS p JOIN customers AS c ON c.id = p.customerId WHERE c.tenantId = ?',
      [tenantId],
    ),
    database.all<CustomerContactRow>(
      `SELECT p.* FROM customer_contacts AS p JOIN customers AS c ON c.id = p.customerId
       WHERE c.tenantId = ? ORDER BY p.customerId, p.place`,
      [tenantId],
    ),
  ])
  const parentOf = new Map(parents.map(({ customerId, parentId }) => [customerId, parentId]))
  const contactsOf = Map.groupBy(contacts, ({ customerId }) => customerId)
  return [...new Set([...parentOf.keys(), ...contactsOf.keys()])].map((customerId) => ({
    customerId,
    parentId: parentOf.get(customerId) ?? null,
    contacts: (contactsOf.get(customerId) ?? []).map(contactOf),
  }))
}

/** Throws 400 for a parent that is the customer, of another tenant, or a site; a customer with sites is no site. */
async function checkParent({ models }: App, tenantId: string, id: string, parentId: string, transaction: Transaction) {
  const { Customer, CustomerParent } = models
  const parent = await Customer.findOne({ where: { id: parentId, tenantId }, transaction })
  if (!parent || parentId === id) {
    throw invalid({ parentId: ['is not another customer of this tenant'] })
  }
  if (await CustomerParent.findOne({ where: { customerId: parentId }, transaction })) {
    throw invalid({ parentId: ['is a site itself, and a site has no sites'] })
  }
  if (await CustomerParent.findOne({ where: { parentId: id }, transaction })) {
    throw invalid({ parentId: ['cannot be set: this customer has sites'] })
  }
}

/** Replaces parent and contacts of a customer. */
export async function setCustomerDetails(
  { app, actor }: Call,
  tenantId: string,
  customerId: string,
  { parentId, contacts }: CustomerDetailsRequestDto,
): Promise<void> {
  const { Customer, CustomerParent, CustomerContact } = app.models
  await app.database.write(async (transaction) => {
    const { id, name } = await findOfTenant(Customer, 'customer', tenantId, customerId, transaction)
    await CustomerParent.destroy({ where: { customerId }, transaction })
    if (parentId !== null) {
      await checkParent(app, tenantId, customerId, parentId, transaction)
      await CustomerParent.create({ customerId, parentId }, { transaction })
    }
    await CustomerContact.destroy({ where: { customerId }, transaction })
    await CustomerContact.bulkCreate(
      contacts.map((contact, place) => ({ id: randomUUID(), customerId, place, ...contact })),
      { transaction },
    )
    await app.audit.recordIn(transaction, actor, [
      { kind: 'settings.customer-details-changed', tenantId, target: { kind: 'customer', id, name } },
    ])
  })
}
