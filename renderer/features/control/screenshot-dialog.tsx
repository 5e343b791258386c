import { Button, Group, Modal, Text } from '@mantine/core'
import { IconCheck, IconCopy, IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import classes from './cards.module.css'
import { usePictureAddress } from './previews.ts'

export interface Screenshot {
  picture: Blob
  at: Date
}

interface ScreenshotDialogProps {
  deviceName: string
  screenshot: Screenshot | undefined
  onClose: () => void
}

const texts = t.control.screenshot

/** Name of the device and local time; no sign in it means anything to a file system. */
const fileName = (deviceName: string, at: Date) => {
  const time = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
  return `${visibleName(deviceName).replace(/[^\p{L}\p{N}_-]+/gu, '-')} ${time.replace('T', ' ').replaceAll(':', '.')}.png`
}

function Content({ deviceName, screenshot }: { deviceName: string; screenshot: Screenshot }) {
  const { picture, at } = screenshot
  const address = usePictureAddress(picture)
  const [copied, setCopied] = useState<boolean>()
  const copy = async () => {
    try {
      await navigator.clipboard.write([new ClipboardItem({ [picture.type]: picture })])
      setCopied(true)
    } catch {
      setCopied(false)
    }
  }
  return (
    <>
      {address && <img className={classes.screenshot} src={address} alt={texts.picture(deviceName)} />}
      <Group mt="md" justify="flex-end">
        {copied === false && <Text role="alert">{texts.copyFailed}</Text>}
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
          download={fileName(deviceName, at)}
          leftSection={<IconDownload size={16} />}
          data-autofocus
        >
          {texts.save}
        </Button>
      </Group>
    </>
  )
}

/** Screenshot to save or copy. */
export const ScreenshotDialog = ({ deviceName, screenshot, onClose }: ScreenshotDialogProps) => (
  <Modal opened={screenshot !== undefined} onClose={onClose} title={texts.picture(deviceName)} size="xl">
    {screenshot && <Content deviceName={deviceName} screenshot={screenshot} />}
  </Modal>
)
