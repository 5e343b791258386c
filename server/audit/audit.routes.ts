import { instant } from '../ground/instant.ts'
import { applianceAuditLog, type AuditFilters, type AuditSearch } from '../../shared/api/appliance-audit-log.ts'
import type { Download } from '../../shared/contract/transfer.ts'
import { openCommand } from './sealed-command.ts'
import type { RouteCall } from '../call/call.ts'
import { holds } from '../rights/rights.ts'
import { presentAuditEvent, type Reader, auditFile } from './present.ts'
import { checkChain, newestCheck, type CheckedChain } from './keep-audit-log.ts'
import { exportAudit, searchAudit } from './search.ts'
import { implement } from '../surface/implement.ts'

const readerOf = ({ app }: RouteCall): Reader => ({
  nameOf: (id) => app.accounts.nameOf(id),
  commandIn: (sealed) => openCommand(app.sealer, sealed),
})

async function page(call: RouteCall, tenantId: string | undefined, search: AuditSearch) {
  const { rows, hasMore } = await searchAudit(call, tenantId, search)
  return { items: rows.map((row) => presentAuditEvent(row, readerOf(call))), hasMore }
}

async function file(
  call: RouteCall,
  tenantId: string | undefined,
  wanted: AuditFilters & { format: 'csv' | 'jsonl'; after?: number | undefined },
): Promise<Download> {
  const pages = await exportAudit(call, tenantId, wanted)
  const day = new Date(call.app.clock.now()).toISOString().slice(0, 10)
  return {
    body: auditFile(wanted.format, pages, readerOf(call)),
    file: { name: `audit-log-${day}.${wanted.format}`, disposition: 'attachment' },
  }
}

const timeOf = (at: number | null | undefined) => (at ? instant(at) : null)

/** Numbers of the whole log are for readers of the whole server. */
function presentChain(check: CheckedChain | undefined, isOfServer: boolean) {
  const { holds: isWhole = null, checkedAt, problem = null } = check ?? {}
  const { rows, removed, lastId, hash, firstAt, lostAt } =
    isOfServer && check ? check : { rows: null, removed: null, lastId: null, hash: null, firstAt: null, lostAt: null }
  return {
    holds: isWhole,
    checkedAt: timeOf(checkedAt),
    problem,
    isOfServer,
    rows,
    firstAt: timeOf(firstAt),
    lostAt: timeOf(lostAt),
    removed,
    lastId,
    hash,
  }
}

export const applianceAuditLogRoutes = implement(applianceAuditLog, {
  list: (call, { tenantId, query }) => page(call, tenantId, query),
  listAll: (call, { query }) => page(call, undefined, query),
  export: (call, { tenantId, query }) => file(call, tenantId, query),
  exportAll: (call, { query }) => file(call, undefined, query),
  chain: (call) => presentChain(newestCheck(call), holds(call.app, call.principal, 'appliance.audit.read')),
  verify: async (call) => presentChain(await checkChain(call), true),
})
