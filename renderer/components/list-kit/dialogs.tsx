import { Button, Modal, TextInput, type ButtonProps } from '@mantine/core'
import { useState, type ComponentProps, type ReactNode } from 'react'
import { textProps } from '../field-props.ts'
import * as t from '../../texts.ts'
import { focusListAfterDialog } from '../list-focus.ts'
import { useMutation } from '@tanstack/react-query'
import { RequestForm } from '../request-form.tsx'

interface DialogFormProps<Result> extends Omit<
  ComponentProps<typeof RequestForm>,
  'request' | 'onSubmit' | 'onCancel'
> {
  save: () => Promise<Result>
  onSaved: (result: Result) => void
  onCancel: () => void
}

/** Form in a `Modal` that sends its own request. */
export function DialogForm<Result>({ save, onSaved, ...form }: DialogFormProps<Result>) {
  const saving = useMutation({ mutationFn: save, onSuccess: onSaved })
  return <RequestForm {...form} request={saving} onSubmit={() => saving.mutate()} />
}

interface NameFormProps<Result> {
  submit: string
  label?: string
  maxLength?: number
  /** Name before a change. */
  current?: string
  save: (name: string) => Promise<Result>
  onSaved: (result: Result) => void
  onCancel: () => void
  /** Above the field. */
  children?: ReactNode
}

/** Form of a dialog that asks for a name. */
export function NameForm<Result>(props: NameFormProps<Result>) {
  const { label = t.common.name, maxLength = 100, current = '', save, children, ...form } = props
  const [name, setName] = useState(current)
  return (
    <DialogForm {...form} canSubmit={name.trim() !== ''} save={() => save(name)}>
      {children}
      <TextInput label={label} maxLength={maxLength} data-autofocus autoComplete="off" {...textProps(name, setName)} />
    </DialogForm>
  )
}

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

interface FormButtonProps {
  label: string
  /** Title of the dialog; the label if left out. */
  title?: string
  /** Width of the dialog. */
  size?: 'md' | 'lg'
  button?: ButtonProps
  /** Form of the dialog. */
  children: (close: () => void) => ReactNode
}

/** Button that opens a form. */
export function FormButton({ label, title = label, size = 'md', button, children }: FormButtonProps) {
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  return (
    <>
      <Button variant="default" {...button} onClick={() => setIsOpen(true)}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title} size={size}>
        {children(close)}
      </Modal>
    </>
  )
}

interface AskButtonProps extends Omit<ComponentProps<typeof ConfirmDialog>, 'isOpen' | 'onClose' | 'confirm'> {
  label: string
  /** Label of the button in the dialog; `label` if left out. */
  confirm?: string
  button?: ButtonProps & { 'aria-label'?: string }
}

/** Button that asks before something that cannot be undone. */
export function AskButton({ label, confirm = label, button, ...dialog }: AskButtonProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button variant="default" {...button} onClick={() => setIsOpen(true)}>
        {label}
      </Button>
      <ConfirmDialog {...dialog} confirm={confirm} isOpen={isOpen} onClose={() => setIsOpen(false)} />
    </>
  )
}

/** Button that asks before it deletes the thing of a pane. */
export const DeleteButton = (props: AskButtonProps) => (
  <AskButton {...props} button={{ c: 'var(--danger)', ...props.button }} />
)
