import { Group, Kbd, Modal } from '@mantine/core'
import { shownKeys, type Action } from '../components/actions.ts'
import { controlActions } from '../features/control/actions.ts'
import { entryActions, folderActions } from '../features/files/actions.ts'
import { playerActions } from '../features/player/actions.ts'
import { terminalActions } from '../features/terminal/actions.ts'
import { vncActions } from '../features/vnc/actions.ts'
import * as t from '../texts.ts'
import { shellCommands } from './commands.ts'
import { useOfferedPages, type PageEntry } from './navigation.tsx'
import classes from './shell.module.css'

type Row = [keys: readonly string[], label: string]

const rowsOf = <Context,>(actions: readonly Action<Context>[]) =>
  actions.map((action): Row => [shownKeys(action), action.label]).filter(([keys]) => keys.length > 0)
const rows = (...list: [keys: string, label: string][]) => list.map(([keys, label]): Row => [keys.split(' '), label])

const groupsOf = (pages: readonly PageEntry[]): { title: string; rows: readonly Row[] }[] => [
  {
    title: t.shortcuts.general,
    rows: [
      ...rows(['Ctrl K', t.shortcuts.palette]),
      ...rowsOf(shellCommands),
      ...rows(['Esc', t.shortcuts.back]),
      ...pages.map(({ chord, label }): Row => [['G', chord.toUpperCase()], t.shortcuts.goTo(label)]),
    ],
  },
  {
    title: t.shortcuts.list,
    rows: rows(
      ['/', t.shortcuts.search],
      ['↑ ↓', t.shortcuts.move],
      ['Home End', t.shortcuts.ends],
      ['Enter', t.shortcuts.open],
      ['Space', t.shortcuts.pane],
      ['C', t.shortcuts.controlDevice],
      ['X', t.shortcuts.select],
      ['Ctrl A', t.shortcuts.selectAll],
      ['*', t.shortcuts.star],
      ['F2', t.shortcuts.rename],
      ['Shift F10', t.shortcuts.menu],
      ['Del', t.common.delete],
    ),
  },
  { title: t.shortcuts.control, rows: rowsOf(controlActions) },
  { title: t.shortcuts.vnc, rows: rowsOf(vncActions) },
  {
    title: t.shortcuts.terminal,
    rows: [
      ...rowsOf(terminalActions),
      ...rows(['F2', t.terminal.renameTab], ['Tab', t.terminal.complete], ['Ctrl Space', t.terminal.allCompletions]),
    ],
  },
  {
    title: t.shortcuts.files,
    rows: [
      ...rowsOf(folderActions),
      ...rows(
        ['/', t.shortcuts.filter],
        ['Ctrl L', t.shortcuts.path],
        ['Enter', t.shortcuts.openFile],
        ['Shift ↓', t.shortcuts.range],
        ['Space', t.shortcuts.toggle],
      ),
      ...rowsOf(entryActions),
    ],
  },
  { title: t.shortcuts.player, rows: rowsOf(playerActions) },
]

export const ShortcutSheet = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => (
  <Modal opened={isOpen} onClose={onClose} title={t.shortcuts.title} size="xl">
    <div className={classes.keys}>
      {groupsOf(useOfferedPages()).map(({ title, rows: shown }) => (
        <section key={title} className={classes.keyGroup}>
          <h2>{title}</h2>
          {shown.map(([keys, label]) => (
            <Group align="stretch" wrap="nowrap" justify="space-between" gap={12} py={4} key={label}>
              <span>{label}</span>
              <Group gap={4} wrap="nowrap">
                {keys.map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </Group>
            </Group>
          ))}
        </section>
      ))}
    </div>
  </Modal>
)
