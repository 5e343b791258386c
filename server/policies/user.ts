import type { App } from '../call.ts'
import type { Principal } from '../principal.ts'
import { forbidden, unauthorized } from '../errors.ts'
import { anyBeyondToken, managementBeyond } from './rights-comparison.ts'
import { makerOf } from './made-with.ts'
import { rulesOfUser } from './rights.ts'

interface User {
  id: string
  tenantId: string
}

const targetOf = (app: App, { id, tenantId }: User) =>
  ({ tenantId, holder: 'User', rules: rulesOfUser(app, id) }) as const

/**
 * Throws 403 when `principal` would act in the place of a user who manages more than itself (T27). Called in the write
 * that it is about, it also throws 401 for a principal that has ended while it waited for its turn.
 */
export function checkMayActAs(app: App, principal: Principal, user: User): void {
  if (!principal.isLive()) {
    throw unauthorized()
  }
  const beyond = managementBeyond(app, principal, targetOf(app, user))
  if (beyond !== undefined) {
    throw forbidden(`This user holds ${beyond}, which you do not: ask somebody who does.`)
  }
}

/**
 * The same for what makes the principal that user, without a bond to the token that it came from: whoever acts by a
 * restricted token then needs every right of the user in that token.
 */
export function checkMayBecome(app: App, principal: Principal, user: User): void {
  checkMayActAs(app, principal, user)
  const maker = makerOf(app, principal, [
    { permission: 'tenant.users.write', on: { kind: 'Tenant', tenantId: user.tenantId } },
  ])
  const beyond = maker === null ? undefined : anyBeyondToken(app, maker, targetOf(app, user))
  if (beyond !== undefined) {
    throw forbidden(`This user holds ${beyond}, which your token does not hold: sign in, or ask somebody who does.`)
  }
}
