import { randomUUID } from 'node:crypto'
import type { UserStorageItemDto } from '../../shared/dtos/user-storage-item.ts'
import type { Call, OpenCall } from '../call/call.ts'
import { isByLink } from '../ground/principal.ts'
import { badRequest, notFound } from '../ground/errors.ts'

/** Maximum items of a user, and of a guest, of whom there may be thousands (limits disk use). */
const maxItems = { user: 1_000, guest: 20 }

export async function setStorageItem(
  { app, principal }: Call,
  userId: string,
  item: UserStorageItemDto,
): Promise<UserStorageItemDto> {
  const { UserStorageItem } = app.models
  const { key, value } = item
  const most = maxItems[isByLink(principal) ? 'guest' : 'user']
  await app.database.write(async (transaction) => {
    const row = await UserStorageItem.findOne({ where: { userId, key }, transaction })
    if (row) {
      await row.update({ value }, { transaction })
      return
    }
    if ((await UserStorageItem.count({ where: { userId }, transaction })) >= most) {
      throw badRequest(`You may keep ${most} values: remove some first.`)
    }
    await UserStorageItem.create({ id: randomUUID(), userId, key, value }, { transaction })
  })
  return item
}

/** Returns undefined for an unknown key. */
export async function getStorageItem(
  { app: { models } }: OpenCall,
  userId: string,
  key: string,
): Promise<UserStorageItemDto | undefined> {
  const row = await models.UserStorageItem.findOne({ where: { userId, key } })
  return row ? { key, value: row.value } : undefined
}

export async function deleteStorageItem({ app }: OpenCall, userId: string, key: string): Promise<void> {
  const removed = await app.database.write((transaction) =>
    app.models.UserStorageItem.destroy({ where: { userId, key }, transaction }),
  )
  if (removed === 0) {
    throw notFound('key')
  }
}
