import { z } from 'zod'
import { defineRoutes } from '../contract/route.ts'
import { storageKey, UserStorageItemDto } from '../dtos/user-storage-item.ts'

const params = z.object({ key: storageKey.describe('Chosen by the client: 1 to 256 letters, digits and hyphens.') })

export const userStorage = defineRoutes('UserStorage', {
  set: {
    method: 'POST',
    path: '/api/v1/user-storage',
    summary: 'Keep a value under a key for the calling user',
    access: 'authenticated',
    tenant: 'query',
    body: UserStorageItemDto,
    response: UserStorageItemDto,
  },
  get: {
    method: 'GET',
    path: '/api/v1/user-storage/:key',
    summary: 'The value under a key; 204 when there is none',
    access: 'authenticated',
    tenant: 'query',
    params,
    response: UserStorageItemDto.optional(),
  },
  delete: {
    method: 'DELETE',
    path: '/api/v1/user-storage/:key',
    summary: 'Remove a key with its value',
    access: 'authenticated',
    tenant: 'query',
    params,
  },
})
