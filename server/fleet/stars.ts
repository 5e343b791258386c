import type { Call } from '../call/call.ts'
import { badRequest, limitReached, forbidden } from '../ground/errors.ts'
import type { DeviceState } from './device-state.ts'
import type { Principal } from '../ground/principal.ts'

const maxStars = 1000

const personOf = ({ kind, id, credential }: Principal): string | undefined =>
  kind === 'User' && credential.kind !== 'LogonToken' ? id : undefined

/** Id of the user who keeps stars and views. Throws 400 for an account, and 403 for a link to one device. */
export function requirePerson({ principal }: Call): string {
  const userId = personOf(principal)
  if (userId === undefined) {
    throw principal.kind === 'User'
      ? forbidden('This session opens one device, and nothing else of its user.')
      : badRequest('Only a user has stars and views, and a service account is none.')
  }
  return userId
}

/** Starred devices of the principal, none for a principal that is no person. */
export async function starredIdsOf({ app: { database }, principal }: Call): Promise<Set<string>> {
  const userId = personOf(principal)
  const rows =
    userId === undefined
      ? []
      : await database.all<{ deviceId: string }>('SELECT deviceId FROM device_stars WHERE userId = ?', [userId])
  return new Set(rows.map(({ deviceId }) => deviceId))
}

/** Stars a device; idempotent. Throws 409 above the limit. */
export async function starDevice(call: Call, { id: deviceId }: DeviceState): Promise<void> {
  const userId = requirePerson(call)
  const { DeviceStar } = call.app.models
  await call.app.database.write(async (transaction) => {
    if (await DeviceStar.findOne({ where: { userId, deviceId }, transaction })) {
      return
    }
    if ((await DeviceStar.count({ where: { userId }, transaction })) >= maxStars) {
      throw limitReached(`You have starred ${maxStars} devices. Remove a star first.`)
    }
    await DeviceStar.create({ userId, deviceId }, { transaction })
  })
}

/** Removes a star; idempotent. */
export async function unstarDevice(call: Call, { id: deviceId }: DeviceState): Promise<void> {
  const userId = requirePerson(call)
  await call.app.database.write((transaction) =>
    call.app.models.DeviceStar.destroy({ where: { userId, deviceId }, transaction }),
  )
}
