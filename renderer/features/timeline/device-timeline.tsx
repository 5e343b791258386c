import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import { Timeline } from './timeline.tsx'
import classes from './timeline.module.css'
import { nameOfDevice } from '../../text/name-of-device.ts'

/** Tab of a device page. */
export default function DeviceTimeline() {
  const { device } = usePageDevice()
  const isShown = useTabIsShown()
  return (
    <div className={classes.tab}>
      <Timeline
        source={{ kind: 'device', deviceId: device.id, name: nameOfDevice(device) }}
        limit={100}
        isShown={isShown}
      />
    </div>
  )
}
