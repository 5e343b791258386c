import { DisksSection, FactsSection, LoadSection, NetworkSection } from '../../components/device-facts.tsx'
import classes from './device-page.module.css'
import { usePageDevice } from './page-device.ts'

/** What the agent last reported. */
export default function Overview() {
  const { device } = usePageDevice()
  return (
    <div className={classes.grid}>
      <div className={classes.column}>
        <LoadSection device={device} />
        <FactsSection device={device} />
      </div>
      <div className={classes.column}>
        <DisksSection device={device} />
        <NetworkSection device={device} />
      </div>
    </div>
  )
}
