import { ActionIcon, Tooltip, UnstyledButton } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { en as t } from '../../../strings/en.ts'
import classes from './terminal.module.css'
import type { TerminalTabs } from './use-terminal-tabs.ts'

interface TabStripProps {
  tabs: TerminalTabs
  /** What the shells call their windows, by tab; text from the device. */
  titles: Readonly<Record<number, string>>
  onClose: (tab: number) => void
}

/** The terminals of this window on the device. One alone has nothing to close: its shell ends with `exit`. */
export const TabStrip = ({ tabs: { tabs, active, select, add }, titles, onClose }: TabStripProps) => (
  <div className={classes.tabs} role="group" aria-label={t.terminal.tabs}>
    {tabs.map((tab) => (
      <span key={tab} className={classes.tab} data-active={tab === active || undefined}>
        <UnstyledButton
          className={classes.tabName}
          aria-current={tab === active}
          aria-label={t.terminal.tab(tab, titles[tab] ?? '')}
          title={titles[tab]}
          onClick={() => select(tab)}
        >
          <span className="tabular">{tab}</span>
          <span className="truncate">{titles[tab]}</span>
        </UnstyledButton>
        {tabs.length > 1 && (
          <Tooltip label={t.terminal.closeTabHint}>
            <ActionIcon size={20} aria-label={t.terminal.closeTab(tab)} onClick={() => onClose(tab)}>
              <IconX size={14} />
            </ActionIcon>
          </Tooltip>
        )}
      </span>
    ))}
    <Tooltip label={t.terminal.newTab}>
      <ActionIcon size={28} aria-label={t.terminal.newTab} onClick={add}>
        <IconPlus size={16} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  </div>
)
