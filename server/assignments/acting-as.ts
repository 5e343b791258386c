import type { App } from '../call/call.ts'
import type { Principal } from '../ground/principal.ts'
import { forbidden } from '../ground/errors.ts'
import { anyBeyondToken, managementBeyond } from './rights-comparison.ts'
import { restrictingTokenOf } from '../rights/restricting-token.ts'
import { rulesOfUser } from '../rights/rights.ts'

interface User {
  id: string
  tenantId: string
}

const targetOf = (app: App, { id, tenantId }: User) =>
  ({ tenantId, holder: 'User', rules: rulesOfUser(app, id) }) as const

/**
 * Throws 403 if `principal` would act as a user who manages more than itself (T27). Call it inside the write.
 */
export function checkMayActAs(app: App, principal: Principal, user: User): void {
  const beyond = managementBeyond(app, principal, targetOf(app, user))
  if (beyond !== undefined) {
    throw forbidden(`This user holds ${beyond}, which you do not hold. Ask someone who does.`)
  }
}

/**
 * Stricter check for a principal that would become the user without being bound to its token: the restricted token
 * behind the request must hold every right of the user.
 */
export function checkMayBecome(app: App, principal: Principal, user: User): void {
  checkMayActAs(app, principal, user)
  const maker = restrictingTokenOf(app, principal, [
    { permission: 'tenant.users.write', on: { kind: 'Tenant', tenantId: user.tenantId } },
  ])
  const beyond = maker === null ? undefined : anyBeyondToken(app, maker, targetOf(app, user))
  if (beyond !== undefined) {
    throw forbidden(`This user holds ${beyond}, which your token does not hold. Sign in, or ask someone who does.`)
  }
}
