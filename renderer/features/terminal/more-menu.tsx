import { ActionIcon, Menu, Tooltip } from '@mantine/core'
import { IconCheck, IconDots } from '@tabler/icons-react'
import { en as t } from '../../strings/en.ts'
import classes from './terminal-toolbar.module.css'
import { useAsksBeforePaste, useCopiesSelection } from './use-clipboard.ts'

interface MoreMenuProps {
  onClear: () => void
  onFontSize: (change: number) => void
}

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

/** What is needed now and then, and how the terminal behaves. */
export function MoreMenu({ onClear, onFontSize }: MoreMenuProps) {
  const [copiesSelection, setCopiesSelection] = useCopiesSelection()
  const [asksFirst, setAsksFirst] = useAsksBeforePaste()
  const room = <span style={{ width: 14 }} />
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
        <Menu.Item leftSection={room} onClick={onClear}>
          {t.terminal.clear}
        </Menu.Item>
        <Menu.Item
          leftSection={room}
          closeMenuOnClick={false}
          rightSection={<span className="small muted">Ctrl −</span>}
          onClick={() => onFontSize(-1)}
        >
          {t.terminal.smaller}
        </Menu.Item>
        <Menu.Item
          leftSection={room}
          closeMenuOnClick={false}
          rightSection={<span className="small muted">Ctrl +</span>}
          onClick={() => onFontSize(1)}
        >
          {t.terminal.larger}
        </Menu.Item>
        <Menu.Divider />
        <Choice label={t.terminal.copyOnSelect} isOn={copiesSelection} onChange={setCopiesSelection} />
        <Choice label={t.terminal.askBeforePaste} isOn={asksFirst} onChange={setAsksFirst} />
      </Menu.Dropdown>
    </Menu>
  )
}
