import { Button, Group, Switch } from '@mantine/core'
import { allDisplays } from '../../../shared/remote-control/values.ts'
import { usePageDevice } from '../../hooks/use-page-device.ts'
import { openDisplay } from './own-display.ts'
import * as t from '../../texts.ts'
import { clampZoom, stripOf, type SizeMode, type Smoothing } from './placement.ts'
import { canLockKeyboard } from '../viewer-kit/use-full-screen.ts'
import classes from './dock.module.css'
import type { ControlContext } from './actions.ts'
import type { ControlSession } from './control-session.ts'
import type { ControlState } from './control-state.ts'
import { PanelChoice, PanelPart, settingSwitch, type PanelSettings } from './panel-parts.tsx'

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

interface DisplaysProps {
  session: ControlSession | undefined
  state: ControlState | undefined
}

/** Buttons for the displays, arranged as at the device. */
function DisplayStrip({ session, state }: DisplaysProps) {
  const { ratio, places } = stripOf(state?.displays ?? [])
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
          aria-pressed={displayId === state?.shownId}
          aria-label={t.control.display(index + 1, name.slice(0, 60))}
          title={name.slice(0, 60)}
          style={{
            left: `${left * 100}%`,
            top: `${top * 100}%`,
            width: `${width * 100}%`,
            height: `${height * 100}%`,
          }}
          onClick={() => session?.show(displayId)}
        >
          {index + 1}
        </button>
      ))}
    </div>
  )
}

interface ViewPanelProps extends PanelSettings, DisplaysProps {
  context: Pick<ControlContext, 'isFullScreen' | 'toggleFullScreen'>
}

/** Panel for size, display and statistics. */
export function ViewPanel({ settings, onChange, session, state, context }: ViewPanelProps) {
  const { device } = usePageDevice()
  const { displays = [], listedDisplays = 0 } = state ?? {}
  const zoom = (factor: number) => onChange({ mode: 'zoom', zoom: clampZoom(settings.zoom * factor) })
  return (
    <>
      <PanelChoice title={t.control.size} choices={modes} value={settings.mode} onChange={(mode) => onChange({ mode })}>
        <Group gap={6} mt={6}>
          <Button size="compact-xs" variant="default" onClick={() => zoom(1 / zoomStep)}>
            {t.control.zoomOut}
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => zoom(zoomStep)}>
            {t.control.zoomIn}
          </Button>
          {settings.mode === 'zoom' && <span className="small muted">{Math.round(settings.zoom * 100)}%</span>}
        </Group>
        <p className="small muted">{t.control.zoomHint}</p>
      </PanelChoice>
      {displays.length > 1 && (
        <PanelPart title={t.control.displays}>
          <DisplayStrip session={session} state={state} />
          <Group gap={6} mt={6}>
            {state?.spansDisplays && (
              <Button
                size="compact-xs"
                variant={state.shownId === allDisplays ? 'light' : 'default'}
                aria-pressed={state.shownId === allDisplays}
                onClick={() => session?.show(allDisplays)}
              >
                {t.control.allDisplays}
              </Button>
            )}
            {displays.map(({ displayId, name }, index) =>
              displayId === state?.shownId ? null : (
                <Button
                  key={displayId}
                  size="compact-xs"
                  variant="default"
                  title={name.slice(0, 60)}
                  onClick={() => session && openDisplay(device.id, session, displayId)}
                >
                  {t.control.ownWindow(index + 1)}
                </Button>
              ),
            )}
          </Group>
          <p className="small muted">{t.control.displayHint}</p>
          <Switch
            label={t.control.followsPointer}
            description={t.control.followsPointerHint}
            {...settingSwitch({ settings, onChange }, 'followsPointer')}
          />
        </PanelPart>
      )}
      {listedDisplays > displays.length && (
        <p className="small muted">{t.control.manyDisplays(displays.length, listedDisplays)}</p>
      )}
      <PanelChoice
        title={t.control.smoothing}
        choices={scalings}
        value={settings.smoothing}
        onChange={(smoothing) => onChange({ smoothing })}
      />
      <Switch
        label={t.control.devicePointer}
        description={t.control.devicePointerHint}
        {...settingSwitch({ settings, onChange }, 'showsPointer')}
      />
      <Switch label={t.control.metrics} {...settingSwitch({ settings, onChange }, 'showsFigures')} />
      <div>
        <Button variant="default" fullWidth onClick={context.toggleFullScreen}>
          {context.isFullScreen ? t.viewer.leaveFullScreen : t.viewer.fullScreen}
        </Button>
        <p className="small muted">{t.control.hostKeys}</p>
        <p className="small muted">{canLockKeyboard() ? t.control.lockedKeys : t.control.unlockedKeys}</p>
      </div>
    </>
  )
}
