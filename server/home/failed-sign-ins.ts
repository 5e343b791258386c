import { dayMs } from '../../shared/durations.ts'
import { lockout } from '../../shared/dtos/user.ts'
import type { HomeSignInsDto } from '../../shared/api/appliance-home.ts'
import { isRecentFailure } from '../audit/indexed-conditions.ts'
import type { App } from '../call/call.ts'
import { instant } from '../ground/instant.ts'

const accountsShown = 5

interface Row {
  accountId: string | null
  name: string | null
  address: string | null
  count: number
  since: number
  last: number
}

/** Accounts with many failed sign-ins in the last day, of a tenant or, with undefined, of the whole server. */
export async function failedSignIns({ database, clock }: App, tenantId: string | undefined): Promise<HomeSignInsDto> {
  const now = clock.now()
  const rows = await database.all<Row>(
    `SELECT accountId, name, address, total AS count, since, at AS last
     FROM (
       SELECT targetId AS accountId, targetName AS name, sum(count) AS total, min(at) AS since, max(id) AS lastId
       FROM audit_events
       WHERE ${isRecentFailure}
         AND kind IN ('sign-in.password', 'sign-in.passkey', 'sign-in.provider') AND (tenantId = ? OR ? IS NULL)
       GROUP BY targetId, targetName HAVING sum(count) >= ? ORDER BY sum(count) DESC, max(id) DESC LIMIT ?
     ) AS failed JOIN audit_events ON audit_events.id = lastId ORDER BY total DESC, lastId DESC`,
    [now - dayMs, tenantId ?? null, tenantId ?? null, lockout.failures, accountsShown],
  )
  return {
    checkedAt: instant(now),
    items: rows.map(({ since, last, ...row }) => ({ ...row, since: instant(since), last: instant(last) })),
  }
}
