import { useQuery } from '@tanstack/react-query'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { queries } from '../../api/queries.ts'
import { TagChip } from '../../components/tag-chip.tsx'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'
import classes from './device-table.module.css'

/** Tags of a device; those that do not fit are in the title. */
export function TagsCell({ device }: { device: DeviceResponseDto }) {
  const { user } = useSession()
  const tags = useQuery(queries.tags(user.tenantId)).data ?? []
  const own = tags.filter(({ id }) => device.tagIds?.includes(id))
  if (own.length === 0) {
    return <span className="muted">{t.common.none}</span>
  }
  return (
    <span className={classes.tags} title={own.map(({ name }) => name).join(', ')}>
      {own.map(({ id, name }) => (
        <TagChip key={id} tagId={id} name={name} />
      ))}
    </span>
  )
}
