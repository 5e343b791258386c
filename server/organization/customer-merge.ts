import { randomUUID } from 'node:crypto'
import { maxContacts } from '../../shared/api/appliance-organization.ts'
import { maxResourceText } from '../../shared/contract/fields.ts'
import type { Call } from '../call/call.ts'
import { badRequest } from '../ground/errors.ts'
import { rowOf } from '../engines/database/entity.ts'
import { recordChange } from '../rights/authorization-log.ts'
import { assignIn, changeOf, deleteIn, deviceIdsOf } from './customers.ts'
import { movePolicies } from './scoped-policies.ts'
import { findOfTenant } from './tenant-rows.ts'

/**
 * Moves the devices, sites, contacts and note of a customer to another customer, and deletes the first with the rights
 * on it; all or nothing. Returns the number of moved devices. Throws 400 where something would be lost.
 */
export async function mergeCustomer(call: Call, tenantId: string, id: string, intoId: string): Promise<number> {
  const { app, actor } = call
  const { Customer, CustomerParent, CustomerContact, InstallerKeyPlacement, Recording } = app.models
  if (id === intoId) {
    throw badRequest('A customer cannot be merged into itself.')
  }
  return app.database.write(async (transaction) => {
    const find = (customerId: string) => findOfTenant(Customer, 'customer', tenantId, customerId, transaction)
    const [from, into] = [await find(id), await find(intoId)]

    const notes = [into.notes, from.notes].filter(Boolean).join('\n') || null
    if ((notes?.length ?? 0) > maxResourceText) {
      throw badRequest(`The notes of both are longer than ${maxResourceText} characters together. Shorten one first.`)
    }
    const known = await CustomerContact.count({ where: { customerId: intoId }, transaction })
    const contacts = await CustomerContact.findAll({
      where: { customerId: id },
      order: [['place', 'ASC']],
      transaction,
    })
    if (known + contacts.length > maxContacts) {
      throw badRequest(`Both have more than ${maxContacts} contacts together. Remove some first.`)
    }

    const siteOf = await CustomerParent.findOne({ where: { customerId: intoId }, transaction })
    const sites = await CustomerParent.findAll({ where: { parentId: id }, transaction })
    const moving = sites.map(({ customerId }) => customerId).filter((customerId) => customerId !== intoId)
    if (moving.length > 0 && siteOf && siteOf.parentId !== id) {
      throw badRequest(`${from.name} has sites, and ${into.name} is a site itself. A site has no sites.`)
    }
    await CustomerParent.destroy({ where: { parentId: id }, transaction })
    await CustomerParent.bulkCreate(
      moving.map((customerId) => ({ customerId, parentId: intoId })),
      { transaction },
    )
    await CustomerContact.bulkCreate(
      contacts.map((contact, place) => ({
        ...contact.get({ plain: true }),
        id: randomUUID(),
        customerId: intoId,
        place: known + place,
      })),
      { transaction },
    )
    if (moving.length + contacts.length > 0) {
      const target = { kind: 'customer', id: intoId, name: into.name } as const
      await app.audit.recordIn(transaction, actor, [{ kind: 'settings.customer-details-changed', tenantId, target }])
    }
    if (notes !== into.notes) {
      const before = rowOf(into)
      await into.update({ notes }, { transaction })
      await recordChange(
        call,
        transaction,
        changeOf('customer-updated', before, { before, after: { ...before, notes } }),
      )
    }

    const devices = await deviceIdsOf(app, id, transaction)
    await assignIn(call, transaction, into, { deviceIds: devices })
    await InstallerKeyPlacement.update({ customerId: intoId }, { where: { customerId: id }, transaction })
    await Recording.update({ customerId: intoId }, { where: { customerId: id }, transaction })
    await movePolicies(app, transaction, 'customerId', id, intoId)
    await deleteIn(call, transaction, from)
    return devices.length
  })
}
