import { flushSync } from 'react-dom'

/** Of a dialog that opens for typing: it is there at once, and only what is behind it fades. */
export const typingDialog = {
  transitionProps: { duration: 0 },
  overlayProps: { backgroundOpacity: 0.4, transitionProps: { duration: 120 } },
} as const

const dialogs = () => [...document.querySelectorAll('[role="dialog"]')]

/**
 * Opens a `typingDialog` and gives its field the focus before the next key is handled: whoever types on after a shortcut
 * loses no letter, and none of them acts on what had the focus. Mantine has noted by then where the focus goes back to.
 */
export function openForTyping(open: () => void) {
  const others = dialogs()
  flushSync(open)
  const opened = dialogs().find((dialog) => !others.includes(dialog))
  opened?.querySelector('input')?.focus({ preventScroll: true })
}
