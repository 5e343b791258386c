import { TextLink } from '../../components/links.tsx'
import { fold } from '../../../shared/fold.ts'
import { Button, Group, Select, Textarea, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { formatQuery, type QueryField } from '../../../shared/device-query.ts'
import { ConfirmDialog } from '../../components/list-kit/dialogs.tsx'
import { problemText } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import classes from './organize.module.css'

export const devicesAddress = (field: QueryField, name: string) =>
  `/devices?${new URLSearchParams({ q: formatQuery({ text: '', terms: [{ field, values: [name], isExcluded: false }] }) }).toString()}`

/** Link to the devices of an item in the device list. */
export const DevicesLink = ({ field, name, count }: { field: QueryField; name: string; count: number }) =>
  count === 0 ? (
    <p className="small muted">{t.organize.noDevices}</p>
  ) : (
    <TextLink to={devicesAddress(field, name)}>{t.organize.showDevices(count)}</TextLink>
  )

interface FieldProps {
  label: string
  value: string
  maxLength: number
  isArea?: boolean
  description?: string
  readOnly: boolean
  onSave: (value: string) => Promise<unknown>
}

/** Text that is saved when the field is left or Enter is pressed; Escape restores it, and a failure keeps what was typed. */
export function SavedField({ label, value, maxLength, isArea, description, readOnly, onSave }: FieldProps) {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  /** Text that was sent, until it is the value. */
  const [sent, setSent] = useState<string>()
  const save = useMutation({ mutationFn: onSave, onError: () => setSent(undefined) })
  if (known !== value) {
    setKnown(value)
    setTyped(value)
    setSent(undefined)
  }
  const isUnsaved = typed.trim() !== (sent ?? value)
  const commit = () => {
    if (isUnsaved) {
      setSent(typed.trim())
      save.mutate(typed.trim())
    }
  }
  const props = {
    label,
    maxLength,
    readOnly,
    value: typed,
    description,
    error: save.error && problemText(save.error),
    onBlur: commit,
  }
  return isArea ? (
    <Textarea {...props} autosize minRows={2} maxRows={8} onChange={(event) => setTyped(event.currentTarget.value)} />
  ) : (
    <TextInput
      {...props}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') {
          commit()
        } else if (event.key === 'Escape' && isUnsaved) {
          event.preventDefault()
          setTyped(value)
        }
      }}
    />
  )
}

interface CreateFieldProps {
  /** Fragment of the address that focuses the field. */
  id: string
  label: string
  hint?: string
  maxLength: number
  create: (name: string) => Promise<unknown>
}

/** Field and button that create an item by its name. */
export function CreateField({ id, label, hint, maxLength, create }: CreateFieldProps) {
  const [name, setName] = useState('')
  const creating = useMutation({ mutationFn: create, onSuccess: () => setName('') })
  return (
    <form
      id={id}
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim() !== '' && !creating.isPending) {
          creating.mutate(name.trim())
        }
      }}
    >
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <TextInput
          aria-label={`${label}: ${t.common.name}`}
          placeholder={t.common.name}
          title={hint}
          maxLength={maxLength}
          flex="0 1 196px"
          miw={0}
          value={name}
          error={creating.error && problemText(creating.error)}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" flex="none" loading={creating.isPending} disabled={name.trim() === ''}>
          {label}
        </Button>
      </Group>
    </form>
  )
}

interface DeleteButtonProps {
  label: string
  hint: string
  onDelete: () => void
}

export const DeleteButton = ({ label, hint, onDelete }: DeleteButtonProps) => (
  <div>
    <Button
      variant="light"
      color="danger"
      size="xs"
      maw="100%"
      title={label}
      leftSection={<IconTrash size={15} />}
      onClick={onDelete}
    >
      <span className="truncate">{label}</span>
    </Button>
    <p className="small muted">{hint}</p>
  </div>
)

interface MergeFieldProps {
  name: string
  others: readonly { id: string; name: string }[]
  /** Says what moves and what ends. */
  hint: (into: string) => string
  onMerge: (intoId: string) => Promise<unknown>
}

/** Choice of the item that this one is merged into; asks first, because it cannot be undone. */
export function MergeField({ name, others, hint, onMerge }: MergeFieldProps) {
  const [intoId, setIntoId] = useState<string | null>(null)
  const into = others.find(({ id }) => id === intoId)
  return (
    <>
      {others.length > 0 && (
        <Select
          label={t.organize.merge}
          description={t.organize.mergeHint}
          searchable
          data={others.map((other) => ({ value: other.id, label: other.name }))}
          value={null}
          onChange={setIntoId}
        />
      )}
      <ConfirmDialog
        isOpen={into !== undefined}
        title={t.organize.mergeTitle(name, into?.name ?? '')}
        confirm={t.organize.mergeButton(into?.name ?? '')}
        onClose={() => setIntoId(null)}
        onConfirm={() => onMerge(intoId!)}
      >
        {hint(into?.name ?? '')}
      </ConfirmDialog>
    </>
  )
}

interface NameCellProps {
  name: string
  mark?: ReactNode
  isSite?: boolean
}

/** Name of an item in its row. */
export const NameCell = ({ name, mark, isSite = false }: NameCellProps) => (
  <span className={classes.name} data-site={isSite || undefined}>
    {mark}
    <bdi className="truncate">{visibleName(name)}</bdi>
  </span>
)

export const includesText = (name: string, text: string) => fold(name).includes(fold(text.trim()))
