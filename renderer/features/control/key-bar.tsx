import { Button } from '@mantine/core'
import * as t from '../../texts.ts'
import { heldModifiers, type HeldModifier, type SpecialKey } from './keys.ts'
import classes from './dock.module.css'

interface KeyBarProps {
  held: readonly HeldModifier[]
  onHold: (modifier: HeldModifier) => void
  onKey: (key: SpecialKey) => void
}

const labels: Record<HeldModifier, string> = { control: 'Ctrl', alt: 'Alt', shift: 'Shift', meta: 'Win' }
const keys: SpecialKey[] = [
  { label: 'Esc', held: [], key: 'Escape', code: 'Escape' },
  { label: 'Tab', held: [], key: 'Tab', code: 'Tab' },
  { label: '←', held: [], key: 'ArrowLeft', code: 'ArrowLeft' },
  { label: '↑', held: [], key: 'ArrowUp', code: 'ArrowUp' },
  { label: '↓', held: [], key: 'ArrowDown', code: 'ArrowDown' },
  { label: '→', held: [], key: 'ArrowRight', code: 'ArrowRight' },
]

/** Keys that on-screen keyboards lack. A modifier is held for the next key. Clicks do not move the focus. */
export const KeyBar = ({ held, onHold, onKey }: KeyBarProps) => (
  <div
    className={classes.keyBar}
    role="toolbar"
    aria-label={t.control.keyBar}
    onMouseDown={(event) => event.preventDefault()}
  >
    {heldModifiers.map((modifier) => (
      <Button
        key={modifier}
        size="compact-sm"
        variant={held.includes(modifier) ? 'filled' : 'default'}
        aria-pressed={held.includes(modifier)}
        onClick={() => onHold(modifier)}
      >
        {labels[modifier]}
      </Button>
    ))}
    {keys.map((key) => (
      <Button key={key.label} size="compact-sm" variant="default" aria-label={key.code} onClick={() => onKey(key)}>
        {key.label}
      </Button>
    ))}
  </div>
)
