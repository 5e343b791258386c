import { Box } from '@mantine/core'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import { Timeline } from './timeline.tsx'
import { nameOfDevice } from '../../text/name-of-device.ts'

/** Tab of a device page. */
export default function DeviceTimeline() {
  const { device } = usePageDevice()
  const isShown = useTabIsShown()
  return (
    <Box maw="var(--page-width)" px="var(--page-side)" pt={16} pb={32}>
      <Timeline
        source={{ kind: 'device', deviceId: device.id, name: nameOfDevice(device) }}
        limit={100}
        isShown={isShown}
      />
    </Box>
  )
}
