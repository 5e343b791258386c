import { DisksSection, FactsSection, NetworkSection } from '../../../components/device-facts.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { en as t } from '../../../strings/en.ts'
import { usePageDevice } from '../../../hooks/use-page-device.ts'
import { DesktopsSection } from './desktops.tsx'
import { LabelsSection } from './labels.tsx'
import { LoadPlots } from './load-plots.tsx'
import { NotesSection } from './notes-section.tsx'
import { OfflineCard } from './offline-card.tsx'
import { RefusedUpdate } from './refused-update.tsx'
import { StrangerCard } from './stranger-card.tsx'
import classes from './overview.module.css'
import { UpdateButton } from './update-button.tsx'

/** Problems, load, desktops and facts of a device. */
export default function Overview() {
  const { device, can } = usePageDevice()
  return (
    <div className={classes.page}>
      {device.isOnline ? <StrangerCard /> : <OfflineCard />}
      {device.isOnline && <RefusedUpdate />}
      {!device.isOnline && (
        <p className="small muted">
          {t.visit.lastReport} <RelativeTime at={device.lastSeen} />.
        </p>
      )}
      <div className={classes.grid} data-old={!device.isOnline || undefined}>
        <div className={classes.column}>
          <LoadPlots />
          {can('device.remote-control.connect') && <DesktopsSection />}
          <DisksSection device={device} />
        </div>
        <div className={classes.column}>
          <FactsSection device={device} update={<UpdateButton />} />
          <LabelsSection />
          {can('device.overview.read') && <NotesSection />}
          <NetworkSection device={device} />
        </div>
      </div>
    </div>
  )
}
