import { Modal, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/http.ts'
import type { FilePlace } from '../../api/files.ts'
import { problemText } from '../../components/problem-alert.tsx'
import { typingDialog } from '../../components/open-for-typing.ts'
import { nameProblem } from '../transfers/local-files.ts'
import { childOf } from '../../api/device-path.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { focusFiles } from './page-files.ts'
import { RequestForm } from '../../components/request-form.tsx'

interface NewFolderProps {
  place: FilePlace
  /** The dialog is closed when undefined. */
  folder: string | undefined
  onClose: () => void
  onCreated: (path: string) => void
}

function NewFolderForm({ place, folder = '', onClose, onCreated }: NewFolderProps) {
  const [name, setName] = useState('')
  const [isTried, setIsTried] = useState(false)
  const { deviceId, tenantId } = place
  const create = useMutation({
    mutationFn: async () => {
      const params = { deviceId }
      // The device explains invalid names before the folder is created.
      const body = { directoryPath: folder, fileName: name }
      const { isValid, errorMessage } = await api.deviceFileSystem.validatePath({ params, body, tenantId })
      if (!isValid) {
        return errorMessage
      }
      await api.deviceFileSystem.createDirectory({
        params,
        body: { parentPath: folder, directoryName: name },
        tenantId,
      })
      onCreated(childOf(folder, name))
      onClose()
    },
  })
  const problem = nameProblem(name)
  const shown =
    (isTried || name !== '' ? problem : undefined) ??
    (create.error ? problemText(create.error) : create.data && visibleName(create.data))
  const handleSubmit = () => {
    setIsTried(true)
    if (problem === undefined) {
      create.mutate()
    }
  }
  return (
    <RequestForm submit={t.files.create} request={create} isExplained onSubmit={handleSubmit} onCancel={onClose}>
      <TextInput
        label={t.files.folderName}
        value={name}
        error={shown}
        spellCheck={false}
        data-autofocus
        onChange={(event) => {
          create.reset()
          setName(event.currentTarget.value)
        }}
      />
      <Text size="xs" c="dimmed" className="wrap-anywhere">
        {t.files.newFolderIn(visibleName(folder))}
      </Text>
    </RequestForm>
  )
}

export const NewFolder = (props: NewFolderProps) => (
  <Modal
    opened={props.folder !== undefined}
    onClose={props.onClose}
    title={t.files.newFolder}
    onExitTransitionEnd={focusFiles}
    {...typingDialog}
  >
    <NewFolderForm {...props} />
  </Modal>
)
