import { Button, Switch, Tooltip } from '@mantine/core'
import * as t from '../../texts.ts'
import { edges } from '../viewer-kit/edges.ts'
import { hasClipboard, type SessionClipboard } from '../viewer-kit/session-clipboard.ts'
import type { SessionRecording } from '../viewer-kit/use-recording.ts'
import { PanelChoice, settingSwitch, type PanelSettings } from './panel-parts.tsx'

interface ExtrasPanelProps extends PanelSettings {
  clipboard: SessionClipboard
  isViewOnly: boolean
  /** Undefined where nothing may be recorded. */
  recording: SessionRecording | undefined
}

/** Panel for clipboard and toolbar settings. */
export function ExtrasPanel({ settings, onChange, clipboard, isViewOnly, recording }: ExtrasPanelProps) {
  const { canRead, canWrite } = clipboard.options
  const obstacle = !hasClipboard()
    ? t.control.clipboardNot.insecure
    : !canRead && !canWrite
      ? t.control.clipboardNot.policy
      : undefined
  return (
    <>
      <Switch
        label={t.control.clipboard}
        description={obstacle ?? t.control.clipboardHint}
        checked={settings.sharesClipboard && obstacle === undefined}
        disabled={obstacle !== undefined}
        onChange={({ currentTarget }) => onChange({ sharesClipboard: currentTarget.checked })}
      />
      {obstacle === undefined && canWrite && (
        <Button variant="default" disabled={isViewOnly} onClick={() => void clipboard.sendNow()}>
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
