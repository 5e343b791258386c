import type { Icon } from '@tabler/icons-react'

/**
 * User action as a value. Toolbars, menus, the palette, the shortcut sheet and the keyboard use the same table of
 * actions; `Context` is what the actions of a table work on.
 */
export interface Action<Context = void> {
  name: string
  label: string
  /** An action without an icon has no button. */
  icon?: Icon
  /** Explains more than the label, in a tooltip. */
  hint?: string
  /** Shortcuts, written like "Ctrl+Shift+F"; the tooltip and the shortcut sheet show the first one. */
  keys?: readonly string[]
  /** Shown in place of the first shortcut, for an action with a range of keys. */
  keysLabel?: string
  isOffered?: (context: Context) => boolean
  isDisabled?: (context: Context) => boolean
  isOn?: (context: Context) => boolean
  /** Label and icon while the action is on. Without them the button is shown as pressed. */
  on?: { label: string; icon: Icon }
  isDangerous?: boolean
  /** `key` is the shortcut that was pressed. */
  run: (context: Context, key?: string) => void
}

/** Members of a `KeyboardEvent` that shortcuts are compared with. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'altKey' | 'shiftKey' | 'metaKey'>

const keyCodes: Readonly<Record<string, readonly string[]>> = { '+': ['Equal'], '-': ['Minus'] }

/** Alt may turn a key into another character, so with Alt the position of the key counts too. */
function isKey(wanted: string, { key, code, altKey }: KeyPress) {
  if (!altKey) {
    return key.toLowerCase() === wanted.toLowerCase()
  }
  return /^[A-Z]$/.test(wanted)
    ? code === `Key${wanted}`
    : /^\d$/.test(wanted)
      ? code === `Digit${wanted}` || code === `Numpad${wanted}`
      : key === wanted || code === wanted || (keyCodes[wanted]?.includes(code) ?? false)
}

/** Whether a key press is a shortcut. Shift is ignored for signs and digits: some layouts need it to type them. */
export function matchesShortcut(shortcut: string, press: KeyPress): boolean {
  const [, modifiers = '', wanted = ''] = /^((?:Ctrl\+|Alt\+|Shift\+)*)(.+)$/.exec(shortcut) ?? []
  const wantsShift = modifiers.includes('Shift')
  const isShiftRight = press.shiftKey === wantsShift || (!wantsShift && /^[^a-z]$/i.test(wanted))
  return (
    press.ctrlKey === modifiers.includes('Ctrl') &&
    press.altKey === modifiers.includes('Alt') &&
    isShiftRight &&
    !press.metaKey &&
    isKey(wanted, press)
  )
}

/** Finds the action that a key press is a shortcut of, with that shortcut. */
export function findAction<Context>(
  actions: readonly Action<Context>[],
  press: KeyPress,
): { action: Action<Context>; key: string } | undefined {
  for (const action of actions) {
    const key = action.keys?.find((shortcut) => matchesShortcut(shortcut, press))
    if (key !== undefined) {
      return { action, key }
    }
  }
  return undefined
}

export const isUsable = <Context>({ isOffered, isDisabled }: Action<Context>, context: Context) =>
  (isOffered?.(context) ?? true) && !isDisabled?.(context)

/** Runs the action of a key press. Returns whether the press belongs to the table, usable or not. */
export function runShortcut<Context>(actions: readonly Action<Context>[], press: KeyPress, context: Context): boolean {
  const found = findAction(actions, press)
  if (found && isUsable(found.action, context)) {
    found.action.run(context, found.key)
  }
  return found !== undefined
}

/** Returns the function that runs the action of a key press, if the action is offered and enabled. */
export function findUsable<Context>(
  actions: readonly Action<Context>[],
  press: KeyPress,
  context: Context,
): (() => void) | undefined {
  const found = findAction(actions, press)
  return found && isUsable(found.action, context) ? () => found.action.run(context, found.key) : undefined
}

const arrows: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Delete: 'Del',
}

/** Keys of an action's shortcut for display, such as ["Ctrl", "Shift", "F"]. */
export function shownKeys<Context>({ keys = [], keysLabel = keys[0] }: Action<Context>): string[] {
  const [, modifiers = '', key = ''] = /^((?:Ctrl\+|Alt\+|Shift\+)*)(.+)$/.exec(keysLabel ?? '') ?? []
  return [...modifiers.split('+'), ...key.split(' ')].filter((part) => part !== '').map((part) => arrows[part] ?? part)
}

/** Current icon of an action. */
export function shownIcon<Context>({ icon, on, isOn }: Action<Context>, context: Context): Icon | undefined {
  return (isOn?.(context) && on?.icon) || icon
}

/** Current label of an action. */
export function shownLabel<Context>({ label, on, isOn }: Action<Context>, context: Context): string {
  return (isOn?.(context) && on?.label) || label
}
