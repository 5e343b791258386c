import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeviceNoteDto, NotePictureDto } from '../../../../shared/api/appliance-device-notes.ts'
import { notePicture } from '../../../api/note-pictures.ts'
import { problemText } from '../../../components/problem-alert.tsx'
import { usePictureAddress } from '../../../features/control/previews.ts'
import { ScreenshotDialog } from '../../../features/control/screenshot-dialog.tsx'
import { usePageDevice } from '../../../hooks/use-page-device.ts'
import { nameOfDevice } from '../../../text/name-of-device.ts'
import * as t from '../../../texts.ts'
import classes from './notes.module.css'

interface NotePictureProps {
  deviceId: string
  note: DeviceNoteDto
  picture: NotePictureDto
}

/** Picture of a note; a click shows it large, to save or copy. */
export function NotePicture({ deviceId, note, picture }: NotePictureProps) {
  const { device } = usePageDevice()
  const { data, error } = useQuery(notePicture(deviceId, note))
  const address = usePictureAddress(data)
  const [isLarge, setIsLarge] = useState(false)
  if (error) {
    return (
      <p role="alert" className="small">
        {problemText(error)}
      </p>
    )
  }
  return (
    <>
      <button type="button" className={classes.picture} onClick={() => setIsLarge(true)}>
        <img
          src={address}
          width={picture.width}
          height={picture.height}
          style={{ width: 'auto', height: 'auto', aspectRatio: `${picture.width} / ${picture.height}` }}
          alt={t.visit.notes.picture(note.authorName)}
        />
      </button>
      <ScreenshotDialog
        deviceName={nameOfDevice(device)}
        screenshot={isLarge && data ? { picture: data, at: new Date(note.createdAt) } : undefined}
        onClose={() => setIsLarge(false)}
      />
    </>
  )
}
