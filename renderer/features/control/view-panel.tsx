import { Button, Group, SegmentedControl, Switch, Text } from '@mantine/core'
import type { DisplayDto } from '../../../shared/remote-control/messages.ts'
import { en as t } from '../../strings/en.ts'
import { clampZoom, stripOf, type SizeMode, type Smoothing } from './placement.ts'
import type { ChangeSettings, ControlSettings } from './settings.ts'
import classes from './toolbar.module.css'
import { canLockKeyboard } from '../viewer-kit/use-full-screen.ts'

interface ViewPanelProps {
  settings: ControlSettings
  onChange: ChangeSettings
  displays: readonly DisplayDto[]
  listedDisplays: number
  shownId: string | undefined
  onShow: (displayId: string) => void
  isFullScreen: boolean
  onFullScreen: () => void
}

const modes: { value: SizeMode; label: string }[] = [
  { value: 'fit', label: t.control.fit },
  { value: 'stretch', label: t.control.stretch },
  { value: 'actual', label: t.control.actual },
  { value: 'zoom', label: t.control.zoom },
]
const scalings: { value: Smoothing; label: string }[] = [
  { value: 'auto', label: t.control.smoothAuto },
  { value: 'smooth', label: t.control.smoothOn },
  { value: 'sharp', label: t.control.smoothOff },
]
const zoomStep = 1.25

/** The displays as they stand on the desk, each a button. */
function DisplayStrip({ displays, shownId, onShow }: Pick<ViewPanelProps, 'displays' | 'shownId' | 'onShow'>) {
  const { ratio, places } = stripOf(displays)
  return (
    <div
      className={classes.strip}
      style={{ aspectRatio: Math.max(0.5, ratio) }}
      role="group"
      aria-label={t.control.displays}
    >
      {places.map(({ display: { displayId, name }, left, top, width, height }, index) => (
        <button
          key={displayId}
          type="button"
          className={classes.place}
          aria-pressed={displayId === shownId}
          aria-label={t.control.display(index + 1, name.slice(0, 60))}
          title={name.slice(0, 60)}
          style={{
            left: `${left * 100}%`,
            top: `${top * 100}%`,
            width: `${width * 100}%`,
            height: `${height * 100}%`,
          }}
          onClick={() => onShow(displayId)}
        >
          {index + 1}
        </button>
      ))}
    </div>
  )
}

/** How the picture is shown here; the device hears of it only where it is another display. */
export function ViewPanel({ settings, onChange, displays, listedDisplays, shownId, onShow, ...props }: ViewPanelProps) {
  const zoom = (factor: number) => onChange({ mode: 'zoom', zoom: clampZoom(settings.zoom * factor) })
  return (
    <>
      <div>
        <Text component="h3" fw={600}>
          {t.control.size}
        </Text>
        <SegmentedControl
          fullWidth
          size="xs"
          data={modes}
          value={settings.mode}
          aria-label={t.control.size}
          onChange={(mode) => onChange({ mode })}
        />
        <Group gap={6} mt={6}>
          <Button size="compact-xs" variant="default" onClick={() => zoom(1 / zoomStep)}>
            {t.control.zoomOut}
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => zoom(zoomStep)}>
            {t.control.zoomIn}
          </Button>
          {settings.mode === 'zoom' && <span className="small muted">{Math.round(settings.zoom * 100)} %</span>}
        </Group>
        <p className="small muted">{t.control.zoomHint}</p>
      </div>
      {displays.length > 1 && (
        <div>
          <Text component="h3" fw={600}>
            {t.control.displays}
          </Text>
          <DisplayStrip displays={displays} shownId={shownId} onShow={onShow} />
          <p className="small muted">{t.control.displayHint}</p>
        </div>
      )}
      {listedDisplays > displays.length && (
        <p className="small muted">{t.control.manyDisplays(displays.length, listedDisplays)}</p>
      )}
      <div>
        <Text component="h3" fw={600}>
          {t.control.smoothing}
        </Text>
        <SegmentedControl
          fullWidth
          size="xs"
          data={scalings}
          value={settings.smoothing}
          aria-label={t.control.smoothing}
          onChange={(smoothing) => onChange({ smoothing })}
        />
      </div>
      <Switch
        label={t.control.devicePointer}
        description={t.control.devicePointerHint}
        checked={settings.showsPointer}
        onChange={({ currentTarget }) => onChange({ showsPointer: currentTarget.checked })}
      />
      <Switch
        label={t.control.metrics}
        checked={settings.showsFigures}
        onChange={({ currentTarget }) => onChange({ showsFigures: currentTarget.checked })}
      />
      <div>
        <Button variant="default" fullWidth onClick={props.onFullScreen}>
          {props.isFullScreen ? t.control.leaveFullScreen : t.control.fullScreen}
        </Button>
        <p className="small muted">{t.control.hostKeys}</p>
        <p className="small muted">{canLockKeyboard() ? t.control.lockedKeys : t.control.unlockedKeys}</p>
      </div>
    </>
  )
}
