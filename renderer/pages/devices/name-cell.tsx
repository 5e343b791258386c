import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { AliasField } from '../../components/alias-field.tsx'
import { UnreadBadge } from '../../features/chat/unread-badge.tsx'
import { StarButton } from '../../components/star-button.tsx'
import { useListActions } from './list-actions.ts'
import classes from './device-table.module.css'

/** Name above the alias; the alias can be edited in place. */
export function NameCell({ device }: { device: DeviceResponseDto }) {
  const { renamedId, stopRenaming } = useListActions()
  if (renamedId === device.id) {
    return <AliasField device={device} onDone={stopRenaming} />
  }
  return (
    <span className={classes.name}>
      <span className="truncate" title={device.name}>
        {device.name}
        <StarButton device={device} />
        <UnreadBadge deviceId={device.id} />
      </span>
      {device.alias && (
        <span className={`${classes.alias} truncate`} title={device.alias}>
          {device.alias}
        </span>
      )}
    </span>
  )
}
