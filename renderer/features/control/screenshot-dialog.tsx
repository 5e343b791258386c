import { Button, Group, Modal, Text } from '@mantine/core'
import { IconCheck, IconCopy, IconDownload, IconNote } from '@tabler/icons-react'
import { useState } from 'react'
import { visibleName } from '../../text/visible-name.ts'
import { localIsoTime } from '../../text/format.ts'
import * as t from '../../texts.ts'
import classes from './cards.module.css'
import { convertedPicture } from './converted-picture.ts'
import { NoteForm } from './note-form.tsx'
import { usePictureAddress } from './previews.ts'

export interface Screenshot {
  picture: Blob
  at: Date
}

interface ScreenshotDialogProps {
  deviceName: string
  /** Device that gets a note with the picture; undefined where no note can be written. */
  noteFor?: string | undefined
  screenshot: Screenshot | undefined
  onClose: () => void
}

const texts = t.control.screenshot

/** Name of the device and local time; no sign in it means anything to a file system. */
const fileName = (deviceName: string, { picture, at }: Screenshot) => {
  const time = localIsoTime(at.getTime())
  return `${visibleName(deviceName).replace(/[^\p{L}\p{N}_-]+/gu, '-')} ${time.replace('T', ' ').replaceAll(':', '.')}.${picture.type === 'image/png' ? 'png' : 'jpg'}`
}

interface ContentProps {
  deviceName: string
  screenshot: Screenshot
  /** Device that gets a note with the picture; undefined where no note can be written. */
  deviceId: string | undefined
}

function Content({ deviceName, screenshot, deviceId }: ContentProps) {
  const { picture } = screenshot
  const address = usePictureAddress(picture)
  const [copied, setCopied] = useState<boolean>()
  const [note, setNote] = useState<'none' | 'open' | 'saved'>('none')
  const copy = async () => {
    try {
      // Browsers copy no other format; the promise keeps the permission of the click.
      const png = picture.type === 'image/png' ? picture : convertedPicture(picture, 'image/png')
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': png })])
      setCopied(true)
    } catch {
      setCopied(false)
    }
  }
  return (
    <>
      {address && (
        <img
          className={classes.screenshot}
          data-small={note === 'open' || undefined}
          src={address}
          alt={texts.picture(deviceName)}
        />
      )}
      <Group mt="md" justify="flex-end">
        {copied === false && <Text role="alert">{texts.copyFailed}</Text>}
        {note === 'saved' && <Text role="status">{texts.noteSaved(deviceName)}</Text>}
        {deviceId !== undefined && note === 'none' && (
          <Button variant="default" leftSection={<IconNote size={16} />} onClick={() => setNote('open')}>
            {texts.note}
          </Button>
        )}
        <Button
          variant="default"
          leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          onClick={() => void copy()}
        >
          {copied ? texts.copied : texts.copy}
        </Button>
        <Button
          component="a"
          href={address}
          download={fileName(deviceName, screenshot)}
          leftSection={<IconDownload size={16} />}
          data-autofocus
        >
          {texts.save}
        </Button>
      </Group>
      {deviceId !== undefined && note === 'open' && (
        <NoteForm deviceId={deviceId} deviceName={deviceName} picture={picture} onSaved={() => setNote('saved')} />
      )}
    </>
  )
}

/** Screenshot to save, to copy, or to keep in a note. */
export const ScreenshotDialog = ({ deviceName, noteFor, screenshot, onClose }: ScreenshotDialogProps) => (
  <Modal opened={screenshot !== undefined} onClose={onClose} title={texts.picture(deviceName)} size="xl">
    {screenshot && <Content deviceName={deviceName} screenshot={screenshot} deviceId={noteFor} />}
  </Modal>
)
