import { ActionIcon, Menu, Tooltip } from '@mantine/core'
import { IconCheck, IconChevronDown, IconPlus } from '@tabler/icons-react'
import type { DeviceTerminalDto } from '../../../shared/dtos/terminal.ts'
import { RelativeTime } from '../../components/relative-time.tsx'
import { en as t } from '../../strings/en.ts'
import { shellName } from './names.ts'
import classes from './terminal-toolbar.module.css'

interface NewTerminalProps {
  /** What the device could run, its usual shell first; text from the device. */
  shells: readonly string[]
  /** What a new terminal runs. */
  shell: string | undefined
  /** Open terminals of the same person that are not in this window. */
  others: readonly DeviceTerminalDto[]
  onAdd: () => void
  onChoose: (shell: string) => void
  onTakeUp: (terminalId: string) => void
  onOpened: () => void
}

/** Opens another terminal; the menu beside it is there when there is something to choose. */
export function NewTerminal({ shells, shell, others, onAdd, onChoose, onTakeUp, onOpened }: NewTerminalProps) {
  const hasChoice = shells.length > 1
  return (
    <span className={classes.adding}>
      <Tooltip label={`${t.terminal.newTab} (Alt+Shift+T)`}>
        <ActionIcon size={28} aria-label={t.terminal.newTab} onClick={onAdd}>
          <IconPlus size={16} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
      {(hasChoice || others.length > 0) && (
        <Menu position="bottom-start" withinPortal={false} width={260} onOpen={onOpened}>
          <Menu.Target>
            <ActionIcon
              className={classes.choice}
              size={28}
              aria-label={others.length > 0 ? t.terminal.choicesAndOthers(others.length) : t.terminal.choices}
            >
              {others.length > 0 && <span className="small tabular">{others.length}</span>}
              <IconChevronDown size={14} stroke={1.6} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown className={classes.menu}>
            {hasChoice && <Menu.Label>{t.terminal.newWith}</Menu.Label>}
            {hasChoice &&
              shells.map((each) => (
                <Menu.Item
                  key={each}
                  title={each}
                  rightSection={each === shell && <IconCheck size={14} aria-label={t.terminal.chosen} />}
                  onClick={() => onChoose(each)}
                >
                  <bdi className={classes.menuText}>{shellName(each)}</bdi>
                </Menu.Item>
              ))}
            {others.length > 0 && <Menu.Label>{t.terminal.others}</Menu.Label>}
            {others.map((each) => (
              <Menu.Item key={each.id} onClick={() => onTakeUp(each.id)}>
                <bdi className={classes.menuText}>{shellName(each.shell ?? t.terminal.someShell)}</bdi>
                <span className="small muted">
                  {t.terminal.lastUsed} <RelativeTime at={each.usedAt} />
                </span>
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </span>
  )
}
