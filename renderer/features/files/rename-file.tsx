import { Modal, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../../shared/contract/client.ts'
import { childOf, parentOf } from '../../api/device-path.ts'
import { runFileOperation } from '../../api/file-operations.ts'
import type { Entry, FilePlace } from '../../api/files.ts'
import { typingDialog } from '../../components/open-for-typing.ts'
import { problemText } from '../../components/problem-alert.tsx'
import { RequestForm } from '../../components/request-form.tsx'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { nameProblem } from '../transfers/local-files.ts'
import { focusFiles } from './page-files.ts'

interface RenameFormProps {
  place: FilePlace
  entry: Entry
  onClose: () => void
  onRenamed: (path: string) => void
}

/** Length of a file's name without its extension. */
const stemLength = ({ name, isDirectory }: Entry) => {
  const dot = isDirectory ? -1 : name.lastIndexOf('.')
  return dot > 0 ? dot : name.length
}

function RenameForm({ place, entry, onClose, onRenamed }: RenameFormProps) {
  const [name, setName] = useState(entry.name)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.setSelectionRange(0, stemLength(entry)), [entry])
  const folder = parentOf(entry.fullPath) ?? ''
  const rename = useMutation({
    mutationFn: async () => {
      const items = [{ path: entry.fullPath, name, overwrite: false }]
      const [problem] = await runFileOperation(place, { kind: 'move', targetDirectory: folder, items })
      if (typeof problem === 'string') {
        throw new ApiError(400, undefined, problem)
      }
      onRenamed(childOf(folder, name))
      onClose()
    },
  })
  const problem = nameProblem(name)
  const handleSubmit = () => {
    if (name === entry.name) {
      onClose()
    } else if (problem === undefined) {
      rename.mutate()
    }
  }
  return (
    <RequestForm submit={t.files.rename} request={rename} isExplained onSubmit={handleSubmit} onCancel={onClose}>
      <TextInput
        ref={field}
        label={t.files.name}
        value={name}
        error={problem ?? (rename.error && visibleName(problemText(rename.error)))}
        spellCheck={false}
        data-autofocus
        onChange={(event) => {
          rename.reset()
          setName(event.currentTarget.value)
        }}
      />
    </RequestForm>
  )
}

/** Dialog that renames an entry; closed while there is none. */
export const RenameFile = ({ entry, ...props }: Omit<RenameFormProps, 'entry'> & { entry: Entry | undefined }) => (
  <Modal
    opened={entry !== undefined}
    onClose={props.onClose}
    title={<bdi className="wrap-anywhere">{entry && t.files.renameTitle(visibleName(entry.name))}</bdi>}
    onExitTransitionEnd={focusFiles}
    {...typingDialog}
  >
    {entry && <RenameForm key={entry.fullPath} entry={entry} {...props} />}
  </Modal>
)
