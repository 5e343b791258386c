import { Button, Group, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { maxNoteLength } from '../../../shared/api/appliance-device-notes.ts'
import { addPictureNote } from '../../api/note-pictures.ts'
import { organizationQueries } from '../../api/organization-queries.ts'
import { problemText } from '../../components/problem-alert.tsx'
import { submitHandler } from '../../components/request-form.tsx'
import * as t from '../../texts.ts'
import { convertedPicture } from './converted-picture.ts'

/** Larger pictures are sent as JPEG; a smaller one is kept as it is, with every letter sharp. */
const exactBytes = 1024 * 1024
const jpegQuality = 0.9

const smaller = async (picture: Blob) =>
  picture.size <= exactBytes ? picture : await convertedPicture(picture, 'image/jpeg', jpegQuality)

interface NoteFormProps {
  deviceId: string
  deviceName: string
  picture: Blob
  onSaved: () => void
}

const texts = t.control.screenshot

/** Keeps a picture in a note about the device. */
export function NoteForm({ deviceId, deviceName, picture, onSaved }: NoteFormProps) {
  const [text, setText] = useState(texts.picture(deviceName))
  const save = useMutation({
    mutationFn: async () => addPictureNote(deviceId, text.trim(), await smaller(picture)),
    onSuccess: onSaved,
    onSettled: (_data, _error, _variables, _result, { client }) =>
      client.invalidateQueries({ queryKey: organizationQueries.deviceNotes(deviceId).queryKey }),
  })
  return (
    <form onSubmit={submitHandler(() => save.mutate())}>
      <Textarea
        mt="md"
        autosize
        minRows={2}
        maxRows={6}
        autoFocus
        label={texts.noteText}
        description={texts.noteHint}
        maxLength={maxNoteLength}
        value={text}
        error={save.error && problemText(save.error)}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Group mt="sm" justify="flex-end">
        <Button type="submit" disabled={text.trim() === ''} loading={save.isPending}>
          {texts.noteSave}
        </Button>
      </Group>
    </form>
  )
}
