import { Button, Group } from '@mantine/core'
import { IconBellPlus } from '@tabler/icons-react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'
import * as t from '../../texts.ts'
import { useAlertSummary } from './use-alerts.ts'
import { useWatch } from './use-watch.ts'

/** Button on an offline device: tells the person once when it is back. Says that it is set, and takes it back. */
export function WatchButton({ device }: { device: DeviceResponseDto }) {
  const summary = useAlertSummary()
  const { isPending, watch, unwatch } = useWatch()
  if (!summary) {
    return null
  }
  const name = nameOfDevice(device)
  return summary.watchedIds.includes(device.id) ? (
    <Group gap="xs" mt="xs">
      <span role="status">{t.alerts.watching}</span>
      <Button
        variant="default"
        size="compact-sm"
        loading={isPending}
        onClick={() => void unwatch(device).catch(() => {})}
      >
        {t.alerts.unwatch}
      </Button>
    </Group>
  ) : (
    <Button
      mt="xs"
      variant="default"
      leftSection={<IconBellPlus size={16} stroke={1.6} />}
      aria-label={t.alerts.watchOne(name)}
      loading={isPending}
      onClick={() => watch(device)}
    >
      {t.alerts.watch}
    </Button>
  )
}
