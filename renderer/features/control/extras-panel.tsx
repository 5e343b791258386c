import { Button, Switch, Tooltip } from '@mantine/core'
import { usePageDevice } from '../../hooks/use-page-device.ts'
import * as t from '../../texts.ts'
import { edges } from '../viewer-kit/edges.ts'
import { hasClipboard, type SessionClipboard } from '../viewer-kit/session-clipboard.ts'
import type { SessionRecording } from '../viewer-kit/use-recording.ts'
import type { ControlSession } from './control-session.ts'
import type { ControlState } from './control-state.ts'
import { DeviceSwitchRow } from './device-switch-row.tsx'
import { PanelChoice, settingSwitch, type PanelSettings } from './panel-parts.tsx'
import { canPlaySound } from './sound-player.ts'
import type { ControlClipboard } from './use-control-clipboard.ts'

interface ExtrasPanelProps extends PanelSettings {
  session: ControlSession | undefined
  state: ControlState | undefined
  clipboard: SessionClipboard
  copies: ControlClipboard
  /** Switches the clipboard of this session, which the device keeps. */
  onToggle: (isOn: boolean) => void
  isViewOnly: boolean
  /** Undefined where nothing may be recorded. */
  recording: SessionRecording | undefined
}

/** Panel for sound, clipboard and toolbar settings. */
export function ExtrasPanel(props: ExtrasPanelProps) {
  const { settings, onChange, session, state, clipboard, copies, onToggle, isViewOnly, recording } = props
  const { can } = usePageDevice()
  const { canRead, canWrite } = clipboard.options
  const { isOn = true, canSwitch = false } = copies.state ?? {}
  const obstacle = !hasClipboard()
    ? t.control.clipboardNot.insecure
    : !canRead && !canWrite
      ? t.control.clipboardNot.policy
      : undefined
  return (
    <>
      {can('appliance.device.sound') && (
        <DeviceSwitchRow
          name="sound"
          session={session}
          switches={state}
          isDisabled={state?.session.phase !== 'open'}
          obstacle={canPlaySound() ? undefined : t.control.soundNot}
        />
      )}
      <Switch
        label={t.control.clipboard}
        description={obstacle ?? t.control.clipboardHint}
        checked={settings.sharesClipboard && obstacle === undefined}
        disabled={obstacle !== undefined || !isOn}
        onChange={({ currentTarget }) => onChange({ sharesClipboard: currentTarget.checked })}
      />
      {canSwitch && (
        <Switch
          label={t.control.clip.off}
          description={t.control.clip.offHint}
          checked={!isOn}
          onChange={({ currentTarget }) => onToggle(!currentTarget.checked)}
        />
      )}
      {obstacle === undefined && canWrite && (
        <Button
          variant="default"
          disabled={isViewOnly || !isOn}
          loading={copies.isBusy}
          onClick={() => copies.sendNow()}
        >
          {t.control.sendClipboard}
        </Button>
      )}
      {recording && (
        <Tooltip label={t.viewer.recording.keepHint}>
          <Button variant="default" loading={recording.isBusy} onClick={recording.keep}>
            {t.viewer.recording.keep}
          </Button>
        </Tooltip>
      )}
      <PanelChoice
        title={t.control.position}
        choices={edges.map((edge) => ({ value: edge, label: t.control.edges[edge] }))}
        value={settings.edge}
        onChange={(edge) => onChange({ edge })}
      />
      <Switch
        label={t.control.pin}
        description={t.control.pinHint}
        {...settingSwitch({ settings, onChange }, 'isPinned')}
      />
    </>
  )
}
