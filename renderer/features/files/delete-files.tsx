import { cutText } from '../../../shared/cut-text.ts'
import { Button, Group, List, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Entry, FilePlace } from '../../api/files.ts'
import { api } from '../../api/http.ts'
import { FailedList } from '../../components/failed-list.tsx'
import { problemText } from '../../components/problem-alert.tsx'
import { ProgressBar } from '../../components/progress-bar.tsx'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { focusFiles } from './page-files.ts'

interface DeleteFilesProps {
  place: FilePlace
  /** The dialog is open while there are entries. */
  entries: readonly Entry[]
  onClose: () => void
  /** Called after at least one attempt to delete. */
  onDeleted: () => void
}

const mostNamed = 6
const mostNameLength = 60

const short = (name: string) => {
  const shown = visibleName(name)
  return shown.length > mostNameLength ? `${cutText(shown, mostNameLength)}…` : shown
}

function DeleteForm({ place, entries, onClose, onDeleted }: DeleteFilesProps) {
  const { deviceId, tenantId } = place
  const [done, setDone] = useState(0)
  const [failures, setFailures] = useState<{ id: string; text: string }[]>([])
  const remove = useMutation({
    mutationFn: async () => {
      const failed: typeof failures = []
      for (const [index, { fullPath, name }] of entries.entries()) {
        try {
          await api.deviceFileSystem.deletePath({ params: { deviceId }, body: { filePath: fullPath }, tenantId })
        } catch (error) {
          failed.push({ id: fullPath, text: `${short(name)}: ${visibleName(problemText(error))}` })
        }
        setDone(index + 1)
      }
      return failed
    },
    onSuccess: (failed) => {
      onDeleted()
      setFailures(failed)
      if (failed.length === 0) {
        onClose()
      }
    },
  })
  const [first] = entries

  if (failures.length > 0) {
    return (
      <FailedList
        text={t.files.delete.failed(failures.length)}
        items={failures.slice(0, mostNamed)}
        onClose={onClose}
      />
    )
  }
  return (
    <Stack>
      <Text>
        {entries.length > 1 ? t.files.delete.several : first?.isDirectory ? t.files.delete.folder : t.files.delete.file}
      </Text>
      {entries.length > 1 && (
        <List className="wrap-anywhere">
          {entries.slice(0, mostNamed).map(({ fullPath, name }) => (
            <List.Item key={fullPath}>
              <bdi>{short(name)}</bdi>
            </List.Item>
          ))}
          {entries.length > mostNamed && <List.Item>{t.files.delete.more(entries.length - mostNamed)}</List.Item>}
        </List>
      )}
      {remove.isPending && entries.length > 1 && (
        <>
          <ProgressBar done={done / entries.length} label={t.files.delete.progress(done, entries.length)} />
          <Text c="dimmed">{t.files.delete.progress(done, entries.length)}</Text>
        </>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t.common.cancel}
        </Button>
        <Button color="danger" loading={remove.isPending} onClick={() => remove.mutate()} maw="100%">
          <bdi className="truncate">{t.files.delete.confirm(entries.length, short(first?.name ?? ''))}</bdi>
        </Button>
      </Group>
    </Stack>
  )
}

/** Confirms deleting files, then lists the failures. */
export const DeleteFiles = (props: DeleteFilesProps) => (
  <Modal
    opened={props.entries.length > 0}
    onClose={props.onClose}
    onExitTransitionEnd={focusFiles}
    title={
      <bdi className="wrap-anywhere">
        {t.files.delete.title(props.entries.length, short(props.entries[0]?.name ?? ''))}
      </bdi>
    }
  >
    <DeleteForm {...props} />
  </Modal>
)
