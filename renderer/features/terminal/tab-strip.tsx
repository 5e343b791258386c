import { UnstyledButton } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { IconButton } from '../../components/icon-button.tsx'
import * as t from '../../texts.ts'
import { tabName } from './names.ts'
import type { TerminalState } from './session-types.ts'
import { maxName, type Tab } from './tabs.ts'
import classes from './tab-strip.module.css'
import type { TerminalTabs } from './use-terminal-tabs.ts'

interface RenamingProps {
  tab: Tab
  /** Name shown while the tab has no name set by the user. */
  shown: string
  onDone: (name: string | undefined) => void
}

/** Field for the name of a tab. Enter saves, Esc cancels; an empty name restores the shell's title. */
function Renaming({ tab, shown, onDone }: RenamingProps) {
  const field = useRef<HTMLInputElement>(null)
  const isDone = useRef(false)
  const finish = (name: string | undefined) => {
    if (!isDone.current) {
      isDone.current = true
      onDone(name)
    }
  }
  useEffect(() => field.current?.select(), [])
  return (
    <input
      ref={field}
      className={classes.tabField}
      defaultValue={tab.name ?? shown}
      maxLength={maxName}
      aria-label={t.terminal.tabField(tab.id)}
      autoFocus
      onMouseDown={(event) => event.stopPropagation()}
      onClick={(event) => event.stopPropagation()}
      onBlur={(event) => finish(event.currentTarget.value)}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Enter') {
          finish(event.currentTarget.value)
        } else if (event.key === 'Escape') {
          finish(undefined)
        }
      }}
    />
  )
}

interface TabStripProps {
  tabs: TerminalTabs
  states: Readonly<Record<number, TerminalState | undefined>>
  onClose: (tab: Tab) => void
  /** Returns the focus to the terminal. */
  onLeave: () => void
}

/** Tabs of this window's terminals on the device. The last tab has no close button; `exit` ends its shell. */
export function TabStrip({ tabs: { tabs, active, select, rename }, states, onClose, onLeave }: TabStripProps) {
  const strip = useRef<HTMLDivElement>(null)
  const [renamed, setRenamed] = useState<number>()
  useEffect(() => {
    const reveal = () => {
      strip.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    }
    // Runs at once, and whenever the width of the strip changes.
    const observer = new ResizeObserver(reveal)
    observer.observe(strip.current!)
    return () => observer.disconnect()
  }, [active, tabs.length])
  const finish = (tab: Tab, shown: string) => (name: string | undefined) => {
    setRenamed(undefined)
    if (name !== undefined && name !== shown) {
      rename(tab.id, name)
    }
    onLeave()
  }
  return (
    <div ref={strip} className={classes.tabs} role="group" aria-label={t.terminal.tabs}>
      {tabs.map((tab) => {
        const name = tabName(tab, states)
        return (
          <span key={tab.id} className={classes.tab} data-active={tab.id === active || undefined}>
            {renamed === tab.id ? (
              <Renaming tab={tab} shown={name} onDone={finish(tab, name)} />
            ) : (
              <UnstyledButton
                className={classes.tabName}
                aria-current={tab.id === active}
                aria-label={t.terminal.tab(tab.id, name)}
                title={`${name}\n${t.terminal.renameHint}`}
                onClick={() => select(tab.id)}
                onDoubleClick={() => setRenamed(tab.id)}
                onKeyDown={(event) => event.key === 'F2' && setRenamed(tab.id)}
              >
                <bdi className="truncate">{name}</bdi>
              </UnstyledButton>
            )}
            {tabs.length > 1 && (
              <IconButton
                label={t.terminal.closeTab(tab.id)}
                hint={t.terminal.closeTabHint}
                icon={<IconX size={14} />}
                size={20}
                onClick={() => onClose(tab)}
              />
            )}
          </span>
        )
      })}
    </div>
  )
}
