import { useQuery } from '@tanstack/react-query'
import { organizeQueries } from '../../api/organize-queries.ts'
import { queries } from '../../api/queries.ts'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'
import { visibleName } from '../../strings/visible-name.ts'

interface Named {
  id: string
  name: string
}

/** Customer, groups and tags that new devices of a key get; nothing for a key without a place. */
export function KeyPlace({ keyId }: { keyId: string }) {
  const { user, can } = useSession()
  const { tenantId } = user
  const { data } = useQuery(organizeQueries.placements(tenantId))
  const place = data?.find((one) => one.keyId === keyId)
  const customers = useQuery({
    ...organizeQueries.customers(tenantId),
    enabled: place !== undefined && can('tenant.customers.read'),
  }).data
  const groups = useQuery({
    ...organizeQueries.organizedGroups(tenantId),
    enabled: place !== undefined && can('tenant.device-groups.read'),
  }).data
  const tags = useQuery({ ...queries.tags(tenantId), enabled: place !== undefined }).data
  if (!place) {
    return null
  }
  const named = (things: readonly Named[] | undefined, ids: readonly (string | null)[]) =>
    ids.flatMap((id) => things?.find((thing) => thing.id === id)?.name ?? [])
  const names = [
    ...named(customers, [place.customerId]),
    ...named(groups, place.deviceGroupIds),
    ...named(tags, place.tagIds),
  ]
  const text = t.deploy.goesTo(names.map(visibleName).join(', '))
  return names.length === 0 ? null : (
    <div className="small muted truncate" title={text}>
      {text}
    </div>
  )
}
