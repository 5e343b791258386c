import { randomUUID } from 'node:crypto'
import type { UserStorageItemDto } from '../../shared/dtos/user-storage-item.ts'
import type { OpenCall } from '../call/call.ts'
import { badRequest, notFound } from '../ground/errors.ts'

/** Maximum items per user (limits disk use). */
const maxItems = 1_000

export async function setStorageItem(
  { app }: OpenCall,
  userId: string,
  item: UserStorageItemDto,
): Promise<UserStorageItemDto> {
  const { UserStorageItem } = app.models
  const { key, value } = item
  await app.database.write(async (transaction) => {
    const row = await UserStorageItem.findOne({ where: { userId, key }, transaction })
    if (row) {
      await row.update({ value }, { transaction })
      return
    }
    if ((await UserStorageItem.count({ where: { userId }, transaction })) >= maxItems) {
      throw badRequest(`A user may keep ${maxItems} values: remove some first.`)
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
