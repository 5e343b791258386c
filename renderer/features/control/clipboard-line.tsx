import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { byteSize } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import { nameOf } from '../../api/device-path.ts'
import { hasClipboard } from '../viewer-kit/session-clipboard.ts'
import classes from './room.module.css'
import type { ControlClipboard } from './use-control-clipboard.ts'

const texts = t.control.clip

interface ClipboardLineProps {
  deviceName: string
  clipboard: ControlClipboard
  canDownload: boolean
  onSavePicture: (picture: Blob) => void
  onDismiss: () => void
}

/** Line over the picture: what was copied at the device, and what can be done with it. Nothing is opened (T18). */
export function ClipboardLine({ deviceName, clipboard, canDownload, onSavePicture, onDismiss }: ClipboardLineProps) {
  const offer = clipboard.state?.offer
  if (!offer) {
    return null
  }
  const { picture, files } = offer
  const save = async () => {
    const found = await clipboard.fetchPicture()
    if (found) {
      onSavePicture(found)
    }
  }
  return (
    <div className={classes.line} role="status">
      <span>
        {picture
          ? texts.pictureCopied(deviceName, picture.width, picture.height, byteSize(picture.byteCount))
          : texts.filesCopied(deviceName, files.length, visibleName(nameOf(files[0]?.path ?? '')))}
        {!picture && !canDownload && ` ${texts.noDownload}`}
      </span>
      <span className={classes.lineActions}>
        {picture && hasClipboard() && (
          <Button size="compact-sm" loading={clipboard.isBusy} onClick={clipboard.copyHere}>
            {texts.copyHere}
          </Button>
        )}
        {picture && (
          <Button size="compact-sm" variant="default" disabled={clipboard.isBusy} onClick={() => void save()}>
            {texts.savePicture}
          </Button>
        )}
        {!picture && canDownload && (
          <Button size="compact-sm" onClick={clipboard.saveFiles}>
            {texts.saveFiles(files.length)}
          </Button>
        )}
        <Tooltip label={texts.dismiss}>
          <ActionIcon aria-label={texts.dismiss} onClick={onDismiss}>
            <IconX size={16} />
          </ActionIcon>
        </Tooltip>
      </span>
    </div>
  )
}
