import { ActionIcon, Menu, Tooltip } from '@mantine/core'
import { IconCheck, IconDots } from '@tabler/icons-react'
import { shownKeys } from '../../components/actions.ts'
import * as t from '../../texts.ts'
import { menuActions, type TerminalContext } from './actions.ts'
import classes from './terminal.module.css'
import { useAsksBeforePaste, useCopiesSelection } from './use-terminal-clipboard.ts'

const Choice = ({ label, isOn, onChange }: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) => (
  <Menu.Item
    role="menuitemcheckbox"
    aria-checked={isOn}
    closeMenuOnClick={false}
    leftSection={<IconCheck size={14} visibility={isOn ? 'visible' : 'hidden'} />}
    onClick={(event) => {
      event.stopPropagation()
      onChange(!isOn)
    }}
  >
    {label}
  </Menu.Item>
)

/** Rarely used actions, and settings of the terminal. */
export function MoreMenu({ context }: { context: TerminalContext }) {
  const [copiesSelection, setCopiesSelection] = useCopiesSelection()
  const [asksFirst, setAsksFirst] = useAsksBeforePaste()
  return (
    <Menu position="bottom-end" withinPortal={false} width={280}>
      <Menu.Target>
        <Tooltip label={t.terminal.more}>
          <ActionIcon size={28} aria-label={t.terminal.more}>
            <IconDots size={16} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown className={classes.menu}>
        {menuActions
          .filter(({ isOffered }) => isOffered?.(context) ?? true)
          .map((action) => (
            <Menu.Item
              key={action.name}
              leftSection={<span style={{ width: 14 }} />}
              // Actions with a shortcut are often repeated.
              closeMenuOnClick={action.keys === undefined}
              rightSection={<span className="small muted">{shownKeys(action).join(' ')}</span>}
              onClick={() => action.run(context)}
            >
              {action.label}
            </Menu.Item>
          ))}
        <Menu.Divider />
        <Choice label={t.terminal.copyOnSelect} isOn={copiesSelection} onChange={setCopiesSelection} />
        <Choice label={t.terminal.askBeforePaste} isOn={asksFirst} onChange={setAsksFirst} />
      </Menu.Dropdown>
    </Menu>
  )
}
