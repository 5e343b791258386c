import type { NotificationChoicesDto } from '../../shared/api/appliance-notifications.ts'
import type { ContactMethodDto } from '../../shared/dtos/contact-method.ts'
import type { App } from '../call/call.ts'
import { instant, instantOrNull } from '../ground/instant.ts'
import { getUser } from '../people/users.ts'
import type { UserRow } from '../people/tables.ts'
import { choicesOf, quietOf } from './choices.ts'
import { listMethods } from './contact-methods.ts'
import type { ContactMethodRow, NotificationDeliveryRow } from './tables.ts'

interface Last extends NotificationDeliveryRow {
  waiting: number
}

/** The newest delivery of each contact method of a user, preferring those with an attempt, and how many wait. */
const lastSql = `SELECT * FROM (
    SELECT d.*, count(d.nextAt) OVER (PARTITION BY methodId) AS waiting,
      row_number() OVER (PARTITION BY methodId ORDER BY ifnull(lastAt, 0) DESC, d.createdAt DESC, d.id DESC) AS place
    FROM notification_deliveries AS d JOIN contact_methods AS m ON m.id = d.methodId WHERE m.userId = ?
  ) AS placed WHERE place = 1`

const presentLast = ({ state, lastAt, createdAt, attempts, nextAt, waiting, status, answer }: Last) => ({
  state,
  at: instant(lastAt ?? createdAt),
  attempts,
  nextAt: instantOrNull(nextAt),
  waiting,
  status,
  answer,
})

export function presentMethod(
  app: App,
  user: Pick<UserRow, 'email' | 'isEmailConfirmed'>,
  method: ContactMethodRow,
  last?: Last,
): ContactMethodDto {
  const { id, service, name, host, isOn, createdAt } = method
  const isMail = service === 'mail'
  const mailObstacle = app.mail.isOn ? (user.isEmailConfirmed ? null : 'unconfirmed-address') : 'no-mail-server'
  return {
    id,
    service,
    name,
    target: isMail ? user.email : (host ?? ''),
    isOn: Boolean(isOn),
    obstacle: isMail ? mailObstacle : null,
    last: last ? presentLast(last) : null,
    createdAt: instant(createdAt),
  }
}

/** Choices of a user, with the last delivery of each contact method. */
export async function presentChoices(app: App, userId: string): Promise<NotificationChoicesDto> {
  const user = await getUser({ app }, userId)
  const choices = await choicesOf(app, userId)
  const quiet = await quietOf(app, userId)
  const lasts = await app.database.all<Last>(lastSql, [userId])
  const methods = await listMethods(app, userId)
  return {
    ...choices,
    quietUntil: quiet ? instant(quiet.until) : null,
    methods: methods.map((method) =>
      presentMethod(
        app,
        user,
        method,
        lasts.find(({ methodId }) => methodId === method.id),
      ),
    ),
  }
}
