import { Button } from '@mantine/core'
import * as t from '../../texts.ts'
import classes from './terminal-pane.module.css'
import type { Xterm } from './xterm.ts'

/** Keys with what a terminal sends for them; arrows by their last character, which programs may ask for in another form. */
const keys = [
  { label: 'Esc', name: 'Escape', sends: '\x1b' },
  { label: 'Tab', name: 'Tab', sends: '\t' },
  { label: 'Ctrl+C', name: 'Ctrl+C', sends: '\x03' },
  { label: 'Ctrl+D', name: 'Ctrl+D', sends: '\x04' },
  { label: '←', name: 'ArrowLeft', arrow: 'D' },
  { label: '↑', name: 'ArrowUp', arrow: 'A' },
  { label: '↓', name: 'ArrowDown', arrow: 'B' },
  { label: '→', name: 'ArrowRight', arrow: 'C' },
]

/** Keys that on-screen keyboards lack; only touch screens show them. Clicks do not move the focus. */
export const KeyRow = ({ xterm: { terminal } }: { xterm: Xterm }) => (
  <div
    className={classes.keys}
    role="toolbar"
    aria-label={t.terminal.keyRow}
    onMouseDown={(event) => event.preventDefault()}
  >
    {keys.map(({ label, name, sends, arrow }) => (
      <Button
        key={name}
        size="compact-sm"
        variant="default"
        aria-label={name}
        onClick={() => terminal.input(sends ?? `\x1b${terminal.modes.applicationCursorKeysMode ? 'O' : '['}${arrow}`)}
      >
        {label}
      </Button>
    ))}
  </div>
)
