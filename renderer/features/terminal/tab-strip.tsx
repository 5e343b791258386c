import { ActionIcon, Tooltip, UnstyledButton } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { en as t } from '../../strings/en.ts'
import { tabName } from './names.ts'
import { maxName, type Tab } from './tabs.ts'
import classes from './tab-strip.module.css'
import type { PaneStatus } from './use-terminal-session.ts'
import type { TerminalTabs } from './use-terminal-tabs.ts'

interface RenamingProps {
  tab: Tab
  /** What it is called as long as it has no name of its own. */
  shown: string
  onDone: (name: string | undefined) => void
}

/** The field for a tab's name. Enter takes it, Esc leaves it; an empty one gives the shell's title back. */
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
  statuses: Readonly<Record<number, PaneStatus>>
  onClose: (tab: Tab) => void
  /** The hands go back to the terminal. */
  onLeave: () => void
}

/** The terminals of this window on the device. One alone has nothing to close: its shell ends with `exit`. */
export function TabStrip({ tabs: { tabs, active, select, rename }, statuses, onClose, onLeave }: TabStripProps) {
  const strip = useRef<HTMLDivElement>(null)
  const [renamed, setRenamed] = useState<number>()
  useEffect(() => {
    const reveal = () => {
      strip.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    }
    // At once, and whenever the strip gets another width.
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
        const name = tabName(tab, statuses)
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
              <Tooltip label={t.terminal.closeTabHint}>
                <ActionIcon size={20} aria-label={t.terminal.closeTab(tab.id)} onClick={() => onClose(tab)}>
                  <IconX size={14} />
                </ActionIcon>
              </Tooltip>
            )}
          </span>
        )
      })}
    </div>
  )
}
