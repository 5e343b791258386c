import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import type { ContactMethodBody } from '../../shared/dtos/contact-method.ts'
import type { App, Call } from '../call/call.ts'
import { conflict, limitReached, found, invalid } from '../ground/errors.ts'
import { OutgoingError } from '../engines/outgoing/send-out.ts'
import { notifyCaller } from '../people/notices.ts'
import { defaultAddresses, services, type Target } from './services.ts'
import type { ContactMethodRow } from './tables.ts'

/** Contact methods of a user, beside mail. */
const maxMethods = 10

const contextOf = (id: string) => `contact-methods/${id}/target`

/** Address and secrets of a contact method other than mail. */
export const targetOf = ({ sealer }: App, { id, sealedTarget }: ContactMethodRow): Target =>
  JSON.parse(sealer.unseal(sealedTarget!, contextOf(id)).toString()) as Target

/** Mail of a user who has not chosen anything yet: on. */
const usualMail = (userId: string, createdAt: number): ContactMethodRow => ({
  id: userId,
  userId,
  service: 'mail',
  name: '',
  sealedTarget: null,
  host: null,
  isOn: true,
  createdAt,
})

/** Stores the mail of users who have not chosen anything yet. */
export async function ensureMail({ models, clock }: App, transaction: Transaction, userIds: readonly string[]) {
  const rows = userIds.map((userId) => usualMail(userId, clock.now()))
  await models.ContactMethod.bulkCreate(rows, { ignoreDuplicates: true, transaction })
}

/** Contact methods of a user: mail first, then the others, oldest first. */
export async function listMethods({ models, clock }: App, userId: string): Promise<ContactMethodRow[]> {
  const rows = await models.ContactMethod.findAll({ where: { userId }, order: ['createdAt', 'id'], raw: true })
  const mail = rows.find(({ id }) => id === userId) ?? usualMail(userId, clock.now())
  return [mail, ...rows.filter((row) => row !== mail)]
}

function targetIn({ service, address, token, chat }: ContactMethodBody): Target {
  const target = {
    address: address || (defaultAddresses[service] ?? ''),
    ...(token && { token }),
    ...(chat && { chat }),
  }
  try {
    services[service].check(target)
  } catch (error) {
    throw error instanceof OutgoingError ? invalid({ address: [error.message] }) : error
  }
  return target
}

const auditTarget = ({ id, name, service }: Pick<ContactMethodRow, 'id' | 'name' | 'service'>) =>
  ({ kind: 'setting', id, name: name || service }) as const

/** Adds a contact method of the caller, who is told of it as of other changes of the account. */
export async function addMethod(call: Call, body: ContactMethodBody): Promise<ContactMethodRow> {
  const { app, principal, actor } = call
  const target = targetIn(body)
  const id = randomUUID()
  const row: ContactMethodRow = {
    id,
    userId: principal.id,
    service: body.service,
    name: body.name,
    sealedTarget: app.sealer.seal(JSON.stringify(target), contextOf(id)),
    host: new URL(target.address).host,
    isOn: true,
    createdAt: app.clock.now(),
  }
  await app.database.write(async (transaction) => {
    await ensureMail(app, transaction, [principal.id])
    if ((await app.models.ContactMethod.count({ where: { userId: principal.id }, transaction })) > maxMethods) {
      throw limitReached(`You have ${maxMethods} contact methods already. Remove one first.`)
    }
    await app.models.ContactMethod.create(row, { transaction })
    await notifyCaller(call, transaction, { kind: 'contact-method-added', subject: body.name })
    const details = { service: body.service, host: row.host }
    await app.audit.recordIn(transaction, actor, [
      { kind: 'account.contact-method-added', target: auditTarget(row), details },
    ])
  })
  return row
}

/** A contact method of the caller. Throws 404. */
export async function getMethod({ app, principal }: Call, id: string): Promise<ContactMethodRow> {
  const methods = await listMethods(app, principal.id)
  return found(
    methods.find((method) => method.id === id),
    'contact method',
  )
}

/** Turns a contact method on or off. What waits for one that is off is dropped: later, nobody wants it. */
export async function switchMethod(
  app: App,
  transaction: Transaction,
  { id, userId, isOn }: { id: string; userId: string; isOn: boolean },
): Promise<void> {
  await ensureMail(app, transaction, [userId])
  await app.models.ContactMethod.update({ isOn }, { where: { id, userId }, transaction })
  if (!isOn) {
    const changes = { state: 'failed', nextAt: null, answer: 'This contact method was turned off.' } as const
    await app.models.NotificationDelivery.update(changes, { where: { methodId: id, state: 'waiting' }, transaction })
  }
}

export async function updateMethod(
  call: Call,
  id: string,
  { name, isOn }: { name?: string | null | undefined; isOn: boolean },
): Promise<void> {
  const { app, principal, actor } = call
  const method = await getMethod(call, id)
  await app.database.write(async (transaction) => {
    await switchMethod(app, transaction, { id, userId: principal.id, isOn })
    if (name && method.service !== 'mail') {
      await app.models.ContactMethod.update({ name }, { where: { id, userId: principal.id }, transaction })
    }
    const target = auditTarget({ ...method, name: name || method.name })
    await app.audit.recordIn(transaction, actor, [
      { kind: 'account.contact-method-changed', target, details: { service: method.service, isOn } },
    ])
  })
}

export async function removeMethod(call: Call, id: string): Promise<void> {
  const { app, principal, actor } = call
  const method = await getMethod(call, id)
  if (method.service === 'mail') {
    throw conflict('Mail goes to the address of your account. Turn it off instead.')
  }
  await app.database.write(async (transaction) => {
    await app.models.ContactMethod.destroy({ where: { id, userId: principal.id }, transaction })
    const details = { service: method.service }
    await app.audit.recordIn(transaction, actor, [
      { kind: 'account.contact-method-removed', target: auditTarget(method), details },
    ])
  })
}
