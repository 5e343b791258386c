import { Group, Kbd, Modal } from '@mantine/core'
import { en as t } from '../strings/en.ts'
import { pageEntries } from './navigation.tsx'
import classes from './shell.module.css'

const groups: { title: string; keys: [keys: string, words: string][] }[] = [
  {
    title: t.shortcuts.general,
    keys: [
      ['Ctrl K', t.shortcuts.palette],
      ['?', t.shortcuts.sheet],
      ['Esc', t.shortcuts.back],
      ...pageEntries.map(({ chord, label }): [string, string] => [`G ${chord.toUpperCase()}`, t.shortcuts.goTo(label)]),
    ],
  },
  {
    title: t.shortcuts.list,
    keys: [
      ['/', t.shortcuts.search],
      ['↑ ↓', t.shortcuts.move],
      ['Home End', t.shortcuts.ends],
      ['Enter', t.shortcuts.open],
      ['Space', t.shortcuts.pane],
      ['X', t.shortcuts.select],
      ['Ctrl A', t.shortcuts.selectAll],
      ['F2', t.shortcuts.rename],
      ['Shift F10', t.shortcuts.menu],
      ['Del', t.shortcuts.remove],
    ],
  },
  {
    title: t.shortcuts.control,
    keys: [
      ['Ctrl Alt Shift F', t.shortcuts.fullScreen],
      ['Ctrl Alt Shift T', t.shortcuts.controlToolbar],
      ['Ctrl Alt Shift V', t.shortcuts.viewOnly],
      ['Ctrl Alt Shift 1…9', t.shortcuts.display],
    ],
  },
  {
    title: t.shortcuts.terminal,
    keys: [
      ['Ctrl Shift C', t.shortcuts.copy],
      ['Ctrl Shift V', t.shortcuts.paste],
      ['Ctrl Enter', t.shortcuts.sendHeld],
      ['Ctrl Shift F', t.shortcuts.find],
      ['Ctrl + −', t.shortcuts.size],
      ['Ctrl Shift Enter', t.shortcuts.fullScreen],
      ['Ctrl Shift ↑', t.shortcuts.toolbar],
      ['Alt Shift T', t.shortcuts.newTerminal],
      ['Alt Shift PgUp PgDn', t.shortcuts.nextTerminal],
      ['F2', t.shortcuts.renameTerminal],
      ['Alt Shift +', t.shortcuts.splitRow],
      ['Alt Shift −', t.shortcuts.splitColumn],
      ['Alt Shift ← ↑ → ↓', t.shortcuts.movePane],
      ['Alt Shift W', t.shortcuts.closePane],
      ['Tab', t.shortcuts.complete],
      ['Ctrl Space', t.shortcuts.completions],
    ],
  },
  {
    title: t.shortcuts.files,
    keys: [
      ['/', t.shortcuts.filter],
      ['Ctrl L', t.shortcuts.path],
      ['Enter', t.shortcuts.openFile],
      ['Backspace', t.shortcuts.up],
      ['Alt ← →', t.shortcuts.backForward],
      ['Shift ↓', t.shortcuts.range],
      ['Space', t.shortcuts.toggle],
      ['F7', t.shortcuts.newFolder],
      ['Del', t.shortcuts.remove],
    ],
  },
]

export const ShortcutSheet = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => (
  <Modal opened={isOpen} onClose={onClose} title={t.shortcuts.title} size="xl">
    <div className={classes.keys}>
      {groups.map(({ title, keys }) => (
        <section key={title} className={classes.keyGroup}>
          <h2>{title}</h2>
          {keys.map(([combination, words]) => (
            <div key={combination} className={classes.keyRow}>
              <span>{words}</span>
              <Group gap={4} wrap="nowrap">
                {combination.split(' ').map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </Group>
            </div>
          ))}
        </section>
      ))}
    </div>
  </Modal>
)
