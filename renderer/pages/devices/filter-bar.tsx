import { ActionIcon, Button, Checkbox, CloseButton, Kbd, Popover, TextInput, Tooltip } from '@mantine/core'
import { IconColumns3, IconSearch } from '@tabler/icons-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { DeviceSearchResponseDto } from '../../../shared/api/devices.ts'
import { useIsAway } from '../../hooks/use-is-away.ts'
import { useIsLate } from '../../hooks/use-is-late.ts'
import { en as t } from '../../strings/en.ts'
import listPage from '../../components/list-page.module.css'
import classes from './devices-page.module.css'
import { focusList } from '../../components/list-focus.ts'
import type { ListState } from './list-url.ts'
import type { DeviceColumns } from './use-columns.ts'

const typingMs = 200

interface FilterBarProps {
  state: ListState
  counts: DeviceSearchResponseDto | undefined
  /** Number of devices after search and filters. */
  total: number
  /** Whether the list still shows the previous search. */
  isWaiting: boolean
  columns: DeviceColumns
  onChange: (change: Partial<ListState>) => void
}

function SearchField({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const input = useRef<HTMLInputElement>(null)
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
  const submit = useEffectEvent((next: string) => {
    setSent([...sent, next])
    onChange(next)
  })
  const wanted = typed.trim()
  const isSubmitted = wanted === (sent.at(-1) ?? text)
  useEffect(() => {
    const timer = isSubmitted ? undefined : setTimeout(() => submit(wanted), typingMs)
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
      aria-label={t.devices.search}
      placeholder={t.devices.search}
      leftSection={<IconSearch size={16} stroke={1.6} />}
      rightSection={
        typed ? (
          <CloseButton size="sm" aria-label={t.devices.clearSearch} onClick={() => setTyped('')} />
        ) : (
          <Kbd size="xs">/</Kbd>
        )
      }
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          if (typed) {
            setTyped('')
          } else {
            event.currentTarget.blur()
          }
        } else if (event.key === 'ArrowDown') {
          event.preventDefault()
          focusList()
        }
      }}
    />
  )
}

export function FilterBar({ state, counts, total, isWaiting, columns, onChange }: FilterBarProps) {
  const isAway = useIsAway()
  const isLate = useIsLate(isWaiting)
  const chips = [
    { show: 'online', label: t.devices.online, count: counts?.filterCounts.onlineDevices },
    { show: 'offline', label: t.devices.offline, count: counts?.filterCounts.offlineDevices },
  ] as const
  const hidden = state.show ? Math.max(0, (counts?.totalItems ?? total) - total) : 0
  return (
    <div className={listPage.filters} role="search">
      <SearchField text={state.text} onChange={(text) => onChange({ text })} />
      <div className={listPage.chips} role="group" aria-label={t.devices.filters}>
        {chips.map(({ show, label, count }) => (
          <button
            key={show}
            type="button"
            className={listPage.chip}
            aria-pressed={state.show === show}
            onClick={() => onChange({ show: state.show === show ? undefined : show })}
          >
            {label}
            <span className="tabular muted">{count?.toLocaleString()}</span>
          </button>
        ))}
      </div>
      <span className={`${listPage.count} small muted tabular`} role="status">
        {isLate ? (isAway ? t.devices.searchWaits : t.devices.searching) : counts && t.devices.shown(total)}
        {hidden > 0 && !isLate && (
          <>
            {' · '}
            {t.devices.hidden(hidden)}{' '}
            <button type="button" className="link-button" onClick={() => onChange({ show: undefined })}>
              {t.devices.showAll}
            </button>
          </>
        )}
      </span>
      <Popover position="bottom-end" withinPortal trapFocus returnFocus>
        <Popover.Target>
          <Tooltip label={t.devices.columns}>
            <ActionIcon aria-label={t.devices.columns} size="lg" ml="auto">
              <IconColumns3 size={18} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        </Popover.Target>
        <Popover.Dropdown className={classes.choices}>
          {columns.choices.map((column) => (
            <Checkbox
              key={column.id}
              size="xs"
              label={String(column.columnDef.header)}
              checked={column.getIsVisible()}
              onChange={(event) => column.toggleVisibility(event.currentTarget.checked)}
            />
          ))}
          <Button variant="subtle" size="compact-sm" onClick={columns.reset}>
            {t.devices.resetColumns}
          </Button>
        </Popover.Dropdown>
      </Popover>
    </div>
  )
}
