import { Button, Modal, type ButtonProps } from '@mantine/core'
import { useState, type ComponentProps, type ReactNode } from 'react'
import { ConfirmDialog } from './confirm-dialog.tsx'

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
