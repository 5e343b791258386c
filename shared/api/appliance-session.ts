import { z } from 'zod'
import { defineRoutes } from '../contract/route.ts'
import { CurrentUserDto, newPassword } from '../dtos/user.ts'

const email = z.string().trim().toLowerCase().pipe(z.email().max(256))

/** Cookie sign-in for people: what the interface describes but gives no route. */
export const applianceSession = defineRoutes('Session', {
  signIn: {
    method: 'POST',
    path: '/api/appliance/v1/session',
    summary: 'Sign in with email and password; sets the session cookie',
    access: 'anonymous',
    tenant: 'none',
    body: z
      .object({ email, password: z.string().min(1).max(1000), staySignedIn: z.boolean().default(false) })
      .meta({ id: 'SignInRequestDto' }),
    response: z
      .object({ isLockedOut: z.boolean(), user: CurrentUserDto.nullable() })
      .meta({ id: 'SignInResponseDto', description: 'Without a user the sign-in did not happen.' }),
    limitedAttempts: 'all',
  },
  register: {
    method: 'POST',
    path: '/api/appliance/v1/registration',
    summary: 'Register while registration is open, and sign in; the first person holds every preset',
    access: 'anonymous',
    tenant: 'none',
    body: z
      .object({ email, password: newPassword, organizationName: z.string().trim().min(1).max(100).optional() })
      .meta({ id: 'RegistrationRequestDto' }),
    response: CurrentUserDto,
    status: 201,
    limitedAttempts: 'all',
  },
})
