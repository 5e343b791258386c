import { z } from 'zod'
import { defineRoutes } from '../contract/route.ts'
import { CurrentUserDto, newPassword } from '../dtos/user.ts'

export const auth = defineRoutes('Auth', {
  me: {
    method: 'GET',
    path: '/api/auth/me',
    summary: 'The signed-in user',
    access: 'authenticated',
    tenant: 'none',
    response: CurrentUserDto,
  },
  logout: {
    method: 'POST',
    path: '/api/auth/logout',
    summary: 'End this session',
    access: 'authenticated',
    tenant: 'none',
    response: z.void(),
    status: 204,
  },
  changePassword: {
    method: 'POST',
    path: '/api/auth/change-password',
    summary: 'Change the password of the signed-in user; every other session of the user ends',
    access: 'authenticated',
    tenant: 'none',
    body: z
      .object({ currentPassword: z.string().min(1).max(1000), newPassword })
      .meta({ id: 'ChangePasswordRequestDto' }),
    response: z.void(),
  },
})
