import { Modal, TextInput } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { textProps } from '../field-props.ts'
import * as t from '../../texts.ts'
import { focusListAfterDialog } from '../list-focus.ts'
import { DialogForm } from './dialog-form.tsx'

interface ConfirmDialogProps {
  isOpen: boolean
  title: string
  /** Label of the button, with the name of the thing: "Delete Anna". */
  confirm: string
  /** The person types this name before the button works. */
  typedName?: string
  onConfirm: () => Promise<unknown>
  onConfirmed?: () => void
  onClose: () => void
  /** Consequences: what ends, and what is deleted too. */
  children: ReactNode
}

function Content({ confirm, typedName, onConfirm, onConfirmed, onClose, children }: ConfirmDialogProps) {
  const [typed, setTyped] = useState('')
  return (
    <DialogForm
      submit={confirm}
      isDangerous
      canSubmit={typedName === undefined || typed.trim() === typedName.trim()}
      save={onConfirm}
      onSaved={() => {
        onClose()
        onConfirmed?.()
      }}
      onCancel={onClose}
    >
      <div>{children}</div>
      {typedName !== undefined && (
        <TextInput
          label={t.lists.typeName(typedName)}
          autoComplete="off"
          spellCheck={false}
          {...textProps(typed, setTyped)}
        />
      )}
    </DialogForm>
  )
}

/** Asks before something that cannot be undone. */
export const ConfirmDialog = (props: ConfirmDialogProps) => (
  <Modal opened={props.isOpen} onClose={props.onClose} onExitTransitionEnd={focusListAfterDialog} title={props.title}>
    <Content {...props} />
  </Modal>
)
