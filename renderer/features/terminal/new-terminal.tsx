import { ActionIcon, Menu } from '@mantine/core'
import { IconCheck, IconChevronDown } from '@tabler/icons-react'
import type { DeviceTerminalDto } from '../../../shared/dtos/terminal.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import * as t from '../../texts.ts'
import { newTabAction, type TerminalContext } from './actions.ts'
import { shellName } from './names.ts'
import classes from './terminal.module.css'

interface NewTerminalProps {
  context: TerminalContext
  /** Shells of the device, the default first: untrusted. */
  shells: readonly string[]
  /** Shell of a new terminal. */
  shell: string | undefined
  /** Running terminals of the user that are not open in this window. */
  others: readonly DeviceTerminalDto[]
  onChoose: (shell: string) => void
  onReattach: (terminalId: string) => void
  onOpened: () => void
}

/** Button for a new terminal, with a menu of shells and running terminals if there are any. */
export function NewTerminal({ context, shells, shell, others, onChoose, onReattach, onOpened }: NewTerminalProps) {
  const hasChoice = shells.length > 1
  return (
    <span className={classes.adding}>
      <ActionButton action={newTabAction} context={context} />
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
              <Menu.Item key={each.id} onClick={() => onReattach(each.id)}>
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
