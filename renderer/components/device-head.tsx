import { ActionIcon, Group, Tooltip } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import { useSession } from '../session.tsx'
import { en as t } from '../strings/en.ts'
import { AliasField } from './alias-field.tsx'
import { PlatformIcon } from './platform-icon.tsx'
import { Status } from './status.tsx'
import classes from './device-head.module.css'

/** Who this device is and how it is: name, alias, state with reason, user, address. */
export function DeviceHead({ device, isPageTitle }: { device: DeviceResponseDto; isPageTitle?: boolean }) {
  const { can } = useSession()
  const [isEditing, setIsEditing] = useState(false)
  const Title = isPageTitle ? 'h1' : 'h2'
  return (
    <div className={classes.head}>
      <div className={classes.line}>
        <PlatformIcon device={device} />
        <Title className="truncate" title={device.name}>
          {device.name}
        </Title>
        {isEditing ? (
          <AliasField device={device} onDone={() => setIsEditing(false)} />
        ) : (
          <>
            {device.alias && <span className={`${classes.alias} truncate`}>{device.alias}</span>}
            {can('device.alias.write') && (
              <Tooltip label={t.device.editAlias}>
                <ActionIcon size="sm" aria-label={t.device.editAlias} onClick={() => setIsEditing(true)}>
                  <IconPencil size={15} />
                </ActionIcon>
              </Tooltip>
            )}
          </>
        )}
      </div>
      <Group gap="md" className={classes.facts}>
        <Status isOnline={device.isOnline} lastSeen={device.lastSeen} />
        {device.currentUsers[0] && <span className="truncate">{device.currentUsers.join(', ')}</span>}
        {device.localIpV4 && <span className="tabular">{device.localIpV4}</span>}
      </Group>
    </div>
  )
}
