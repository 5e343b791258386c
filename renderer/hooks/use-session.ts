import { createContext, use } from 'react'
import type { PermissionName } from '../../shared/access.ts'
import type { CurrentUserDto } from '../../shared/dtos/user.ts'

interface Session {
  user: CurrentUserDto
  /** Whether the user has a permission on any device; the server checks each request. */
  can(permission: PermissionName): boolean
  /** Language in which the person reads dates; undefined follows the browser. */
  dateLanguage: string | undefined
  signOut(): Promise<void>
}

export const SessionContext = createContext<Session | undefined>(undefined)

/** Returns the signed-in user. Only below `SessionGate`. */
export function useSession() {
  const session = use(SessionContext)
  if (!session) {
    throw new Error('useSession is for pages below SessionGate')
  }
  return session
}
