import { ActionIcon, Button, Popover, SegmentedControl, Slider, Switch, Textarea, Tooltip } from '@mantine/core'
import {
  IconAdjustmentsHorizontal,
  IconArrowsMaximize,
  IconArrowsMinimize,
  IconClipboard,
  IconEye,
  IconKeyboard,
  IconPlugConnectedX,
} from '@tabler/icons-react'
import { useState, type ReactNode, type RefObject } from 'react'
import { copyText } from '../../components/clipboard.ts'
import { en as t } from '../../strings/en.ts'
import type { VncClipboard } from './use-vnc-clipboard.ts'
import classes from './vnc.module.css'
import type { VncSettings } from './vnc-settings.ts'

interface VncToolbarProps {
  toolbar: RefObject<HTMLDivElement | null>
  stateWord: string
  isOpen: boolean
  desktopName: string
  settings: VncSettings
  isViewOnly: boolean
  onViewOnly: (isViewOnly: boolean) => void
  clipboard: VncClipboard
  mayRead: boolean
  mayWrite: boolean
  isFullScreen: boolean
  onCtrlAltDel: () => void
  onFullScreen: () => void
  onDisconnect: () => void
}

/** A tool with settings behind it. */
const Panel = ({ label, icon, children }: { label: string; icon: ReactNode; children: ReactNode }) => (
  // Without a portal: in full screen nothing outside of the frame is seen.
  <Popover position="bottom-end" withinPortal={false} trapFocus returnFocus width={300}>
    <Popover.Target>
      <Tooltip label={label} withinPortal={false}>
        <ActionIcon size={28} aria-label={label}>
          {icon}
        </ActionIcon>
      </Tooltip>
    </Popover.Target>
    <Popover.Dropdown className={classes.panel} aria-label={label}>
      {children}
    </Popover.Dropdown>
  </Popover>
)

const levels = { min: 0, max: 9, step: 1 }

function Picture({ settings }: { settings: VncSettings }) {
  const { scaling, setScaling, quality, setQuality, compression, setCompression } = settings
  return (
    <>
      <strong>{t.vnc.scaling}</strong>
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label={t.vnc.scaling}
        data={[
          { value: 'fit', label: t.vnc.fit },
          { value: 'original', label: t.vnc.original },
          { value: 'resize', label: t.vnc.resize },
        ]}
        value={scaling}
        onChange={setScaling}
      />
      {scaling === 'resize' && <span className="small muted">{t.vnc.resizeHint}</span>}
      <strong>{t.vnc.qualityOf(quality)}</strong>
      <Slider {...levels} label={null} thumbLabel={t.vnc.qualityOf(quality)} value={quality} onChange={setQuality} />
      <strong>{t.vnc.compressionOf(compression)}</strong>
      <Slider
        {...levels}
        label={null}
        thumbLabel={t.vnc.compressionOf(compression)}
        value={compression}
        onChange={setCompression}
      />
      <span className="small muted">{t.vnc.qualityHint}</span>
    </>
  )
}

function Clipboard(props: Pick<VncToolbarProps, 'clipboard' | 'settings' | 'mayRead' | 'mayWrite'>) {
  const { clipboard, settings, mayRead, mayWrite } = props
  const [text, setText] = useState('')
  const [isSent, setIsSent] = useState(false)
  if (!mayRead && !mayWrite) {
    return <span>{t.vnc.clipboardNone}</span>
  }
  return (
    <>
      <Switch
        label={t.vnc.clipboardSync}
        description={t.vnc.clipboardHint}
        checked={settings.isSynced}
        onChange={(event) => settings.setIsSynced(event.currentTarget.checked)}
      />
      {mayRead && (
        <>
          <strong>{t.vnc.clipboardLast}</strong>
          {clipboard.received === '' ? (
            <span className="small muted">{t.vnc.clipboardEmpty}</span>
          ) : (
            <>
              <pre className={classes.copied} tabIndex={0}>
                {clipboard.received}
              </pre>
              <Button size="xs" variant="default" onClick={() => void copyText(clipboard.received)}>
                {t.vnc.clipboardCopy}
              </Button>
            </>
          )}
        </>
      )}
      {mayWrite && (
        <>
          <Textarea
            label={t.vnc.clipboardText}
            rows={3}
            value={text}
            onChange={(event) => {
              setIsSent(false)
              setText(event.currentTarget.value)
            }}
          />
          <Button
            size="xs"
            variant="default"
            disabled={text === ''}
            onClick={() => {
              setIsSent(clipboard.send(text))
            }}
          >
            {t.vnc.clipboardSend}
          </Button>
        </>
      )}
      <span className="small muted" role="status">
        {clipboard.isTooLong ? t.vnc.clipboardTooLong : isSent ? t.vnc.clipboardSent : ''}
      </span>
    </>
  )
}

/** State and tools of a VNC session. */
export function VncToolbar(props: VncToolbarProps) {
  const { toolbar, stateWord, isOpen, desktopName, isViewOnly, onViewOnly, isFullScreen } = props
  const fullScreenLabel = isFullScreen ? t.vnc.leaveFullScreen : t.vnc.fullScreen
  const FullScreenIcon = isFullScreen ? IconArrowsMinimize : IconArrowsMaximize
  return (
    <div ref={toolbar} className={classes.toolbar} role="toolbar" aria-label={t.vnc.toolbar}>
      <span className={classes.state} data-open={isOpen || undefined} role="status">
        <span className={classes.mark} aria-hidden />
        {stateWord}
      </span>
      {desktopName && (
        <span className={`${classes.desktop} truncate muted`} title={`${t.vnc.desktop}: ${desktopName}`}>
          <bdi>{desktopName}</bdi>
        </span>
      )}
      {isFullScreen && <span className="small muted">{t.vnc.leaveHint}</span>}
      <span className={classes.tools}>
        <Tooltip label={t.vnc.viewOnlyHint} withinPortal={false}>
          <Button
            size="compact-sm"
            variant={isViewOnly ? 'light' : 'subtle'}
            color={isViewOnly ? undefined : 'gray'}
            aria-pressed={isViewOnly}
            leftSection={<IconEye size={16} stroke={1.6} />}
            onClick={() => onViewOnly(!isViewOnly)}
          >
            {t.vnc.viewOnly}
          </Button>
        </Tooltip>
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          disabled={!isOpen || isViewOnly}
          leftSection={<IconKeyboard size={16} stroke={1.6} />}
          onClick={props.onCtrlAltDel}
        >
          {t.vnc.ctrlAltDel}
        </Button>
        <Panel label={t.vnc.clipboard} icon={<IconClipboard size={16} stroke={1.6} />}>
          <Clipboard {...props} />
        </Panel>
        <Panel label={t.vnc.quality} icon={<IconAdjustmentsHorizontal size={16} stroke={1.6} />}>
          <Picture settings={props.settings} />
        </Panel>
        <Tooltip label={`${fullScreenLabel} (Ctrl+Shift+Enter)`} withinPortal={false}>
          <ActionIcon size={28} aria-label={fullScreenLabel} onClick={props.onFullScreen}>
            <FullScreenIcon size={16} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlugConnectedX size={16} stroke={1.6} />}
          onClick={props.onDisconnect}
        >
          {t.vnc.disconnect}
        </Button>
      </span>
    </div>
  )
}
