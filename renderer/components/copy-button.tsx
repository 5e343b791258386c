import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import * as t from '../texts.ts'
import { copyText } from './copy-text.ts'

const shownMs = 2_000

interface CopyButtonProps {
  text: string
  /** With a label the component is a button, without one an icon. */
  label?: string
  /** Tooltip of the icon, where a page has several. */
  hint?: string
  onCopied?: () => void
}

export function CopyButton({ text, label, hint, onCopied }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    const timer = isCopied ? setTimeout(() => setIsCopied(false), shownMs) : undefined
    return () => clearTimeout(timer)
  }, [isCopied])

  const handleClick = async () => {
    if (await copyText(text)) {
      setIsCopied(true)
      onCopied?.()
    }
  }
  const icon = isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />
  const words = isCopied ? t.common.copied : (label ?? hint ?? t.common.copy)
  return label ? (
    <Button leftSection={icon} onClick={() => void handleClick()} miw={160}>
      {words}
    </Button>
  ) : (
    <Tooltip label={words}>
      <ActionIcon onClick={() => void handleClick()} aria-label={words} size="sm">
        {icon}
      </ActionIcon>
    </Tooltip>
  )
}
