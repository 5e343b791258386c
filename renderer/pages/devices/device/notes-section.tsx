import { ActionIcon, Button, Group, Stack, Textarea } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { maxNoteLength, type DeviceNoteDto } from '../../../../shared/api/appliance-device-notes.ts'
import { api, statusOf } from '../../../api/http.ts'
import { addPictureNote, notePicture } from '../../../api/note-pictures.ts'
import { organizationQueries } from '../../../api/organization-queries.ts'
import { invalidate, queryClient } from '../../../api/query-client.ts'
import { Section } from '../../../components/device-facts.tsx'
import { Markdown } from '../../../components/markdown-view.tsx'
import { problemText } from '../../../components/problem-alert.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { useReturnedFocus } from '../../../hooks/use-returned-focus.ts'
import { usePageDevice } from '../../../hooks/use-page-device.ts'
import * as t from '../../../texts.ts'
import { NotePicture } from './note-picture.tsx'
import classes from './notes.module.css'
import { submitHandler } from '../../../components/request-form.tsx'

interface NoteFormProps {
  initial: string
  onSave: (text: string) => Promise<unknown>
  onDone: () => void
}

/** Writes a note; after a failure the text stays. */
function NoteForm({ initial, onSave, onDone }: NoteFormProps) {
  const [text, setText] = useState(initial)
  const save = useMutation({ mutationFn: () => onSave(text.trim()), onSuccess: onDone })
  return (
    <Stack component="form" gap={8} onSubmit={submitHandler(() => save.mutate())}>
      <Textarea
        autosize
        minRows={3}
        maxRows={14}
        data-autofocus
        autoFocus
        aria-label={t.visit.notes.text}
        placeholder={t.visit.notes.placeholder}
        maxLength={maxNoteLength}
        value={text}
        error={save.error && problemText(save.error)}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.stopPropagation()
            onDone()
          } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && text.trim() !== '') {
            event.preventDefault()
            save.mutate()
          }
        }}
      />
      <Group gap="xs">
        <Button type="submit" size="xs" disabled={text.trim() === ''} loading={save.isPending}>
          {t.visit.notes.save}
        </Button>
        <Button variant="subtle" size="xs" onClick={onDone}>
          {t.common.cancel}
        </Button>
      </Group>
    </Stack>
  )
}

interface NoteProps {
  deviceId: string
  note: DeviceNoteDto
  onSave: (text: string) => Promise<unknown>
  onDelete: () => void
}

function Note({ deviceId, note, onSave, onDelete }: NoteProps) {
  const [isEditing, setIsEditing] = useState(false)
  const pencil = useReturnedFocus(isEditing)
  return (
    <li className={classes.note}>
      <Group gap={8} wrap="nowrap" miw={0} mb={4}>
        <strong className="truncate">{note.authorName}</strong>
        <span className="small muted">
          <RelativeTime at={note.updatedAt} />
          {note.updatedAt !== note.createdAt && t.visit.notes.edited}
        </span>
        <span className={classes.actions}>
          {note.mayEdit && (
            <ActionIcon ref={pencil} size="sm" aria-label={t.visit.notes.edit} onClick={() => setIsEditing(true)}>
              <IconPencil size={14} />
            </ActionIcon>
          )}
          {note.mayDelete && (
            <ActionIcon size="sm" aria-label={t.visit.notes.delete} onClick={onDelete}>
              <IconTrash size={14} />
            </ActionIcon>
          )}
        </span>
      </Group>
      {isEditing ? (
        <NoteForm initial={note.text} onSave={onSave} onDone={() => setIsEditing(false)} />
      ) : (
        <Markdown text={note.text} />
      )}
      {note.picture && <NotePicture deviceId={deviceId} note={note} picture={note.picture} />}
    </li>
  )
}

/** Notes of people about the device. A deleted note can be written again by one click. */
export function NotesSection() {
  const { device, can } = usePageDevice()
  const { data: notes, error } = useQuery(organizationQueries.deviceNotes(device.id))
  const [isAdding, setIsAdding] = useState(false)
  const addButton = useReturnedFocus(isAdding)
  const [deleted, setDeleted] = useState<DeviceNoteDto>()
  const params = { deviceId: device.id }
  const mayWrite = can('device.alias.write')
  const write = useMutation({
    mutationFn: (run: () => Promise<unknown>) => run(),
    onSettled: () => invalidate(organizationQueries.deviceNotes(device.id).queryKey),
  })
  const add = (text: string) => write.mutateAsync(() => api.deviceNotes.add({ params, body: { text } }))
  /** Writes a deleted note again, with the picture that was shown. */
  const restore = (note: DeviceNoteDto) => {
    const { text, picture } = note
    const shown = picture && queryClient.getQueryData(notePicture(device.id, note).queryKey)
    return shown ? write.mutateAsync(() => addPictureNote(device.id, text, shown)) : add(text)
  }
  if (statusOf(error) === 403) {
    return null
  }
  return (
    <Section title={t.visit.notes.title}>
      {error && <p role="alert">{problemText(error)}</p>}
      <ul className={classes.notes}>
        {notes?.map((note) => (
          <Note
            key={note.id}
            deviceId={device.id}
            note={note}
            onSave={(text) =>
              write.mutateAsync(() => api.deviceNotes.edit({ params: { ...params, noteId: note.id }, body: { text } }))
            }
            onDelete={() => {
              write.mutate(() => api.deviceNotes.delete({ params: { ...params, noteId: note.id } }), {
                onSuccess: () => setDeleted(note.mayEdit ? note : undefined),
              })
            }}
          />
        ))}
      </ul>
      {notes?.length === 0 && !isAdding && <p className="small muted">{t.visit.notes.empty}</p>}
      {write.error && (
        <p role="alert" className="small">
          {problemText(write.error)}
        </p>
      )}
      {deleted && (
        <p role="status" className="small muted">
          {t.visit.notes.deleted}{' '}
          {mayWrite && (
            <button
              type="button"
              className="link-button"
              onClick={() => void restore(deleted).then(() => setDeleted(undefined))}
            >
              {t.lists.undo}
            </button>
          )}
        </p>
      )}
      {isAdding ? (
        <NoteForm initial="" onSave={add} onDone={() => setIsAdding(false)} />
      ) : (
        mayWrite && (
          <Button ref={addButton} variant="default" size="xs" onClick={() => setIsAdding(true)}>
            {t.visit.notes.add}
          </Button>
        )
      )}
    </Section>
  )
}
