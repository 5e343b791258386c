import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState, type KeyboardEvent } from 'react'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { changedMeanwhile } from '../../../shared/dtos/file-messages.ts'
import { ApiError } from '../../../shared/contract/client.ts'
import { nameOf, parentOf } from '../../api/device-path.ts'
import type { Entry, FilePlace } from '../../api/files.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import { postFiles } from '../transfers/small-uploads.ts'
import { arrived } from '../transfers/upload.ts'
import type { FileContent } from './file-content.ts'
import { pathBehind } from './link-target.ts'
import classes from './view-file.module.css'

type TextContent = Extract<FileContent, { kind: 'text' }>

interface TextEditorProps {
  place: FilePlace
  entry: Entry
  content: TextContent
  /** Whether the user may save. */
  maySave: boolean
  onDirty: (isDirty: boolean) => void
  /** Loads the file again. */
  onReload: () => void
}

const fieldOf = ({ text }: TextContent) => text.replaceAll('\r\n', '\n')

/** Saves a text if the file is still the one that was opened. */
function useSave({ place, entry, content }: TextEditorProps) {
  const [known, setKnown] = useState(content.sha256)
  const save = useMutation({
    mutationFn: async ({ text, isForced }: { text: string; isForced: boolean }) => {
      const path = await pathBehind(place, entry)
      const folder = parentOf(path) ?? ''
      const bytes = new TextEncoder().encode(content.lineEnd === '\n' ? text : text.replaceAll('\n', '\r\n'))
      const file = { folder, name: nameOf(path), bytes, overwrite: true, ...(!isForced && { replaces: known }) }
      const [problem] = await postFiles(place, [file], { signal: new AbortController().signal })
      if (typeof problem === 'string') {
        throw new ApiError(409, undefined, problem)
      }
      setKnown(bytesToHex(sha256(bytes)))
      arrived({ deviceId: place.deviceId, folder })
      return text
    },
  })
  return { save, isChanged: save.error?.message === changedMeanwhile }
}

/** Field with the text of a file, and a way to save it. */
export function TextEditor(props: TextEditorProps) {
  const { content, maySave, onDirty, onReload } = props
  const canEdit = maySave && content.canEdit
  const [text, setText] = useState(() => fieldOf(content))
  const { save, isChanged } = useSave(props)
  const saved = save.data ?? fieldOf(content)
  const isDirty = text !== saved
  useEffect(() => onDirty(isDirty), [isDirty, onDirty])
  const handleSave = (isForced = false) => save.mutate({ text, isForced })
  const handleKeyDown = (event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's') {
      event.preventDefault()
      if (isDirty && !save.isPending) {
        handleSave()
      }
    }
  }
  return (
    <Stack className={classes.text} onKeyDown={handleKeyDown}>
      <Textarea
        aria-label={t.files.view.text}
        classNames={{ root: classes.field!, wrapper: classes.field!, input: classes.input! }}
        value={text}
        readOnly={!canEdit}
        spellCheck={false}
        wrap="off"
        data-autofocus
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {isChanged ? (
        <Alert color="warning" title={t.files.view.changed} role="alert">
          {t.files.view.changedHint}
          <Group mt="xs">
            <Button size="compact-sm" color="danger" loading={save.isPending} onClick={() => handleSave(true)}>
              {t.files.view.overwrite}
            </Button>
            <Button size="compact-sm" variant="default" onClick={onReload}>
              {t.files.view.reload}
            </Button>
          </Group>
        </Alert>
      ) : (
        save.error && <ProblemAlert error={save.error} />
      )}
      <Group justify="flex-end">
        <Text size="xs" c="dimmed" mr="auto" role="status">
          {maySave && !content.canEdit ? t.files.view.cannotEdit : save.isSuccess && !isDirty ? t.files.view.saved : ''}
        </Text>
        {canEdit && (
          <Button disabled={!isDirty} loading={save.isPending} onClick={() => handleSave()}>
            {t.files.view.save}
          </Button>
        )}
      </Group>
    </Stack>
  )
}
