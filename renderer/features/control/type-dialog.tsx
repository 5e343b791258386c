import { Button, Group, Modal, Textarea } from '@mantine/core'
import { useState } from 'react'
import * as t from '../../texts.ts'

interface TypeDialogProps {
  isOpen: boolean
  onClose: () => void
  onType: (text: string) => void
}

/** Dialog that types text at the device as keystrokes; closing it keeps the text. */
export function TypeDialog({ isOpen, onClose, onType }: TypeDialogProps) {
  const [text, setText] = useState('')
  const type = () => {
    onType(text)
    setText('')
    onClose()
  }
  return (
    <Modal opened={isOpen} onClose={onClose} title={t.control.typeTitle} returnFocus={false}>
      <Textarea
        label={t.control.typeLabel}
        description={t.control.typeHint}
        autosize
        minRows={4}
        maxRows={14}
        data-autofocus
        value={text}
        maxLength={100_000}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          {t.common.cancel}
        </Button>
        <Button disabled={text === ''} onClick={type}>
          {t.control.typeSend}
        </Button>
      </Group>
    </Modal>
  )
}
