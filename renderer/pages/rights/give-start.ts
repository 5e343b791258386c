import { useQuery } from '@tanstack/react-query'
import type { ScopeKind } from '../../../shared/access.ts'
import { isDeviceRole, roleNames, roleScopes, type RoleName } from '../../../shared/roles.ts'
import { rightsQueries } from '../../api/rights-queries.ts'
import type { Thing } from '../../components/thing-select.tsx'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'
import { firstDraft, type Draft } from './give-dialog.tsx'

export const isRole = (text: string): text is RoleName => (roleNames as string[]).includes(text)

interface GiveAddress {
  /** Role that the dialog begins with; without one it is closed. */
  give: string
  principal: string
  kind: string
  place: string
  thing: string
}

/** Draft of the dialog that the address opens, once the names of its receiver and its place are known. */
export function useGiveStart({ give, principal, kind, place, thing }: GiveAddress): Draft | undefined {
  const { tenantId } = useSession().user
  const ids = [kind && principal, place && thing].filter((id) => id !== '')
  const { data, isFetched } = useQuery(rightsQueries.names(tenantId, ids))
  if (!isRole(give) || (ids.length > 0 && !isFetched)) {
    return undefined
  }
  const named = (kindOf: string, id: string): Thing[] =>
    ids.includes(id) ? [{ kind: kindOf, id, name: data?.get(id) ?? t.rights.hidden[kindOf] ?? '…' }] : []
  const draft = firstDraft(named(kind, principal), give)
  const things = named(place, thing)
  const reaches = isDeviceRole(give) && (roleScopes(give) as readonly string[]).includes(place)
  return things.length > 0 && reaches ? { ...draft, scope: { kind: place as ScopeKind, things } } : draft
}
