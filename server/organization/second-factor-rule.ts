import { instantOrNull } from '../ground/instant.ts'
import type { SecondFactorRuleDto } from '../../shared/api/appliance-organization.ts'
import type { Call } from '../call/call.ts'
import { conflict } from '../ground/errors.ts'
import { lacksSecondFactor } from '../people/account-mirror.ts'
import { holds } from '../rights/rights.ts'
import { requireTenant } from './tenant-rows.ts'

const maxNames = 5

const sql = `SELECT u.id, (SELECT count(*) FROM personal_access_tokens
    WHERE userId = u.id AND (expiresAt IS NULL OR expiresAt > ?2)) AS accessTokens
  FROM users AS u WHERE u.tenantId = ?1 AND u.disabledAt IS NULL AND ${lacksSecondFactor}`

/** Returns the date from which a tenant requires a second factor, and the people whom it concerns. */
export async function readSecondFactorRule({ app, principal }: Call, tenantId: string): Promise<SecondFactorRuleDto> {
  requireTenant(app, tenantId)
  const people = await app.database.all<{ id: string; accessTokens: number }>(sql, [tenantId, app.clock.now()])
  const names = holds(app, principal, 'tenant.users.read', tenantId)
    ? people.map(({ id }) => app.accounts.nameOf(id) ?? id).toSorted((a, b) => a.localeCompare(b, 'en'))
    : []
  return {
    requiredFrom: instantOrNull(app.tenants.get(tenantId)?.secondFactorFrom ?? null),
    peopleWithout: people.length,
    names: names.slice(0, maxNames),
    accessTokens: people.reduce((sum, { accessTokens }) => sum + accessTokens, 0),
  }
}

/**
 * Sets the date from which a tenant requires a second factor; null for none. Throws 409 for a caller without one, so that
 * somebody who can change the rule again is never stopped by it.
 */
export async function setSecondFactorRule(
  { app, principal, actor }: Call,
  tenantId: string,
  secondFactorFrom: number | null,
): Promise<void> {
  requireTenant(app, tenantId)
  if (secondFactorFrom !== null && principal.kind === 'User' && app.accounts.get(principal.id)?.lacksSecondFactor) {
    throw conflict(
      'You have no second factor yourself. Set up an authenticator app or a passkey first, then require it.',
    )
  }
  await app.database.write(async (transaction) => {
    await app.models.Tenant.update({ secondFactorFrom }, { where: { id: tenantId }, transaction })
    const target = { kind: 'setting', name: 'second-factor-required-from' } as const
    const details = { value: instantOrNull(secondFactorFrom) }
    await app.audit.recordIn(transaction, actor, [{ kind: 'settings.tenant-changed', tenantId, target, details }])
  })
}
