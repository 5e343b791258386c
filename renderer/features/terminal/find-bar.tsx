import { ActionIcon, TextInput } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react'
import type { ISearchOptions } from '@xterm/addon-search'
import { useEffect, useState } from 'react'
import * as t from '../../texts.ts'
import classes from './over-terminal.module.css'
import type { Xterm } from './xterm.ts'

const options: ISearchOptions = {
  decorations: {
    matchBackground: '#7a5b12',
    activeMatchBackground: '#d98a06',
    matchOverviewRuler: '#d98a06',
    activeMatchColorOverviewRuler: '#d98a06',
  },
}

interface FindBarProps {
  search: Xterm['search']
  onClose: () => void
}

/** Finds text in the terminal's buffer. */
export function FindBar({ search, onClose }: FindBarProps) {
  const [text, setText] = useState('')
  const [result, setResult] = useState({ resultIndex: -1, resultCount: 0 })
  useEffect(() => {
    const listener = search.onDidChangeResults(setResult)
    return () => {
      listener.dispose()
      search.clearDecorations()
    }
  }, [search])
  const next = () => search.findNext(text, options)
  const previous = () => search.findPrevious(text, options)
  return (
    <div className={classes.find} role="search">
      <TextInput
        size="xs"
        autoFocus
        aria-label={t.terminal.findPlaceholder}
        placeholder={t.terminal.findPlaceholder}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          search.findPrevious(event.currentTarget.value, { ...options, incremental: true })
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            ;(event.shiftKey ? next : previous)()
          } else if (event.key === 'Escape') {
            onClose()
          }
        }}
      />
      <span className="small muted tabular" role="status">
        {text &&
          (result.resultCount > 0
            ? t.terminal.found(result.resultIndex + 1, result.resultCount)
            : t.terminal.findNothing)}
      </span>
      <ActionIcon size="sm" aria-label={t.terminal.findPrevious} onClick={previous}>
        <IconChevronUp size={16} />
      </ActionIcon>
      <ActionIcon size="sm" aria-label={t.terminal.findNext} onClick={next}>
        <IconChevronDown size={16} />
      </ActionIcon>
      <ActionIcon size="sm" aria-label={t.common.close} onClick={onClose}>
        <IconX size={16} />
      </ActionIcon>
    </div>
  )
}
