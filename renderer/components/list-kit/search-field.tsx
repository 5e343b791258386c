import { CloseButton, Kbd, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { textProps } from '../field-props.ts'
import * as t from '../../texts.ts'
import { focusList } from '../list-focus.ts'
import listPage from '../list-page.module.css'

const typingMs = 200

interface SearchFieldProps {
  label: string
  /** Shown on hover: what can be typed. */
  hint?: string
  text: string
  onChange: (text: string) => void
}

/** Search field of a list, focused by `/`. Passes the text on when typing pauses or the field is left. */
export function SearchField({ label, hint, text, onChange }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  /** Whether the rows get the focus once they belong to the typed text. */
  const isLeaving = useRef(false)
  const [typed, setTyped] = useState(text)
  const [known, setKnown] = useState(text)
  /** Texts passed to `onChange` that have not come back as `text` yet. */
  const [sent, setSent] = useState<readonly string[]>([])
  if (known !== text) {
    // Back, forward and "clear" change the address; an echo of earlier typing must not overwrite newer input.
    const echo = sent.indexOf(text)
    setKnown(text)
    setSent(echo === -1 ? [] : sent.slice(echo + 1))
    if (echo === -1) {
      setTyped(text)
    }
  }
  const wanted = typed.trim()
  const isSubmitted = wanted === (sent.at(-1) ?? text)
  const submit = () => {
    if (!isSubmitted) {
      setSent([...sent, wanted])
      onChange(wanted)
    }
  }
  const submitTyped = useEffectEvent(submit)
  const leave = () => {
    if (isLeaving.current && wanted === text && document.activeElement === input.current) {
      isLeaving.current = false
      focusList()
    }
  }
  const leaveAfter = useEffectEvent(leave)
  useEffect(() => leaveAfter(), [text])
  useEffect(() => {
    const timer = isSubmitted ? undefined : setTimeout(() => submitTyped(), typingMs)
    return () => clearTimeout(timer)
  }, [wanted, isSubmitted])
  useEffect(() => {
    const handleKeyDown = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof HTMLElement && event.target.matches('input:not([type=checkbox]), textarea, select')
      if (event.key === '/' && !isTyping && !event.defaultPrevented) {
        event.preventDefault()
        input.current?.focus()
        input.current?.select()
      }
    }
    document.addEventListener('keydown', handleKeyDown)
    return () => document.removeEventListener('keydown', handleKeyDown)
  }, [])
  return (
    <TextInput
      ref={input}
      className={listPage.search}
      type="search"
      role="searchbox"
      aria-label={label}
      placeholder={label}
      title={hint}
      leftSection={<IconSearch size={16} stroke={1.6} />}
      rightSection={
        typed ? (
          <CloseButton size="sm" aria-label={t.lists.clearSearch} onClick={() => setTyped('')} />
        ) : (
          <Kbd size="xs">/</Kbd>
        )
      }
      {...textProps(typed, (value) => {
        isLeaving.current = false
        setTyped(value)
      })}
      // A click on a chip adds to the typed text.
      onBlur={submit}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          if (typed) {
            setTyped('')
          } else {
            event.currentTarget.blur()
            focusList()
          }
        } else if ((event.key === 'ArrowDown' || event.key === 'Enter') && !event.nativeEvent.isComposing) {
          event.preventDefault()
          isLeaving.current = true
          submit()
          leave()
        }
      }}
    />
  )
}
