import { notifications } from '@mantine/notifications'
import { useEffect, useEffectEvent, useState, type RefObject } from 'react'
import { copyText } from '../../components/copy-text.ts'
import * as t from '../../texts.ts'
import { usePreference } from '../../styles/preferences.ts'
import type { Xterm } from './xterm.ts'

export const useCopiesSelection = () => usePreference('terminal.copy-on-select', false)
export const useAsksBeforePaste = () => usePreference('terminal.ask-before-paste', true)

interface ClipboardInput {
  xterm: Xterm | undefined
  /** Container of xterm. */
  place: RefObject<HTMLElement | null>
  /** Whether pasted text would reach a shell at once. */
  isLive: boolean
  focus: () => void
}

export interface TerminalClipboard {
  /** Text that waits for confirmation. */
  question: string | undefined
  copy(): Promise<void>
  paste(): Promise<void>
  /** `isLast`: do not ask again. */
  confirm(isLast: boolean): void
  cancel(): void
}

/** Copy and paste of a terminal. Several lines are confirmed first, since a shell runs them at once. */
export function useTerminalClipboard({ xterm, place, isLive, focus }: ClipboardInput): TerminalClipboard {
  const [copiesSelection] = useCopiesSelection()
  const [asksFirst, setAsksFirst] = useAsksBeforePaste()
  const [question, setQuestion] = useState<string>()

  const mustAsk = (text: string) => asksFirst && isLive && /[\r\n]/.test(text)
  const catchPaste = useEffectEvent((event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text/plain') ?? ''
    if (mustAsk(text)) {
      event.preventDefault()
      event.stopPropagation()
      setQuestion(text)
    }
  })
  const copySelection = useEffectEvent(() => {
    if (copiesSelection && xterm?.terminal.hasSelection()) {
      void copyText(xterm.terminal.getSelection())
    }
  })
  useEffect(() => {
    const element = place.current
    // Runs before xterm's listener.
    element?.addEventListener('paste', catchPaste, { capture: true })
    element?.addEventListener('mouseup', copySelection)
    return () => {
      element?.removeEventListener('paste', catchPaste, { capture: true })
      element?.removeEventListener('mouseup', copySelection)
    }
  }, [place])

  return {
    question,
    async copy() {
      if (xterm?.terminal.hasSelection()) {
        await copyText(xterm.terminal.getSelection())
        focus()
      }
    },
    async paste() {
      let text: string
      try {
        text = await navigator.clipboard.readText()
      } catch {
        notifications.show({ message: t.terminal.pasteRefused })
        focus()
        return
      }
      if (mustAsk(text)) {
        setQuestion(text)
      } else {
        xterm?.terminal.paste(text)
        focus()
      }
    },
    confirm(isLast) {
      if (isLast) {
        setAsksFirst(false)
      }
      xterm?.terminal.paste(question ?? '')
      setQuestion(undefined)
      focus()
    },
    cancel() {
      setQuestion(undefined)
      focus()
    },
  }
}
