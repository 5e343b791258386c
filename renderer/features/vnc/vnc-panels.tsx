import { Button, SegmentedControl, Slider, Switch, Textarea } from '@mantine/core'
import { useState } from 'react'
import { checkProps, textProps } from '../../components/field-props.ts'
import { copyText } from '../../components/copy-text.ts'
import * as t from '../../texts.ts'
import type { SessionClipboard } from '../viewer-kit/session-clipboard.ts'
import classes from './vnc.module.css'
import type { VncSettings } from './vnc-settings.ts'

const levels = { min: 0, max: 9, step: 1 }

/** Panel for size and quality of the picture. */
export function QualityPanel({ settings }: { settings: VncSettings }) {
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

interface ClipboardPanelProps {
  clipboard: SessionClipboard
  settings: VncSettings
  /** Last text copied on the device: untrusted. */
  received: string
  note: string | undefined
}

/** Panel for sharing the clipboard. */
export function ClipboardPanel({ clipboard, settings, received, note }: ClipboardPanelProps) {
  const { canRead, canWrite } = clipboard.options
  const [text, setText] = useState('')
  if (!canRead && !canWrite) {
    return <span>{t.vnc.clipboardNone}</span>
  }
  return (
    <>
      <Switch
        label={t.vnc.clipboardSync}
        description={t.vnc.clipboardHint}
        {...checkProps(settings.isSynced, settings.setIsSynced)}
      />
      {canRead && (
        <>
          <strong>{t.vnc.clipboardLast}</strong>
          {received === '' ? (
            <span className="small muted">{t.vnc.clipboardEmpty}</span>
          ) : (
            <>
              <pre className={classes.copied} tabIndex={0}>
                {received}
              </pre>
              <Button size="xs" variant="default" onClick={() => void copyText(received)}>
                {t.vnc.clipboardCopy}
              </Button>
            </>
          )}
        </>
      )}
      {canWrite && (
        <>
          <Textarea label={t.vnc.clipboardText} rows={3} {...textProps(text, setText)} />
          <Button size="xs" variant="default" disabled={text === ''} onClick={() => void clipboard.sendText(text)}>
            {t.vnc.clipboardSend}
          </Button>
        </>
      )}
      <span className="small muted" role="status">
        {note}
      </span>
    </>
  )
}
