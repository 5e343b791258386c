import { Box, Group } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { DeviceSessions } from '../../components/device-sessions.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'
import * as t from '../../texts.ts'
import { useReturnedFocus } from '../../hooks/use-returned-focus.ts'
import { AliasField } from '../../components/alias-field.tsx'
import { PlatformIcon } from '../../components/platform-icon.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Status } from '../../components/status.tsx'
import classes from './device-head.module.css'

interface DeviceHeadProps {
  device: DeviceResponseDto
  isPageTitle?: boolean
  /** Shows the title alone. */
  isSlim?: boolean
  /** Shows the state alone below the title on a phone, whose room another tab needs. */
  isShort?: boolean
  canRename: boolean
  isRenaming: boolean
  onRename: (isRenaming: boolean) => void
}

/** Head of a device: alias or name, the name below an alias, state with age, signed-in users, address. */
export function DeviceHead(props: DeviceHeadProps) {
  const { device, isPageTitle, isSlim = false, isShort = false, canRename, isRenaming, onRename } = props
  const Title = isPageTitle ? 'h1' : 'h2'
  const title = nameOfDevice(device)
  const pencil = useReturnedFocus(isRenaming)
  return (
    <Box flex="1 1 280px" miw={0}>
      <div className={classes.line}>
        <PlatformIcon device={device} />
        {isRenaming ? (
          <>
            <Title className="visually-hidden">{title}</Title>
            <AliasField device={device} onDone={() => onRename(false)} />
          </>
        ) : (
          <>
            <Title className="truncate" dir="auto" title={title}>
              {title}
            </Title>
            {canRename && !isSlim && (
              <IconButton
                ref={pencil}
                label={t.device.editAlias}
                icon={<IconPencil size={15} />}
                size="sm"
                onClick={() => onRename(true)}
              />
            )}
          </>
        )}
      </div>
      <Group gap="4px 16px" className={classes.facts} hidden={isSlim} data-short={isShort || undefined}>
        {device.alias && <span className="truncate">{device.name}</span>}
        <span className={classes.state}>
          <Status isOnline={device.isOnline} lastSeen={device.lastSeen} />
          <span>
            {device.isOnline && `${t.visit.updated} `}
            <RelativeTime at={device.lastSeen} />
          </span>
        </span>
        <span className="truncate">
          {device.currentUsers.length > 0
            ? t.visit[device.isOnline ? 'signedIn' : 'wasSignedIn'](device.currentUsers)
            : device.isOnline && t.device.nobody}
        </span>
        {device.localIpV4 && <span className="tabular">{device.localIpV4}</span>}
        <DeviceSessions deviceId={device.id} />
      </Group>
    </Box>
  )
}
