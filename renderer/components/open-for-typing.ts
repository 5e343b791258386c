import { flushSync } from 'react-dom'

/** Options of a dialog that opens for typing: no opening animation, only the overlay fades. */
export const typingDialog = {
  transitionProps: { duration: 0 },
  overlayProps: { backgroundOpacity: 0.4, transitionProps: { duration: 120 } },
} as const

const dialogs = () => [...document.querySelectorAll('[role="dialog"]')]

/**
 * Opens a `typingDialog` and focuses its field synchronously: keys typed right after a shortcut reach the field and not
 * the page below. Mantine has already stored the element that gets the focus back.
 */
export function openForTyping(open: () => void) {
  const others = dialogs()
  flushSync(open)
  const opened = dialogs().find((dialog) => !others.includes(dialog))
  opened?.querySelector('input')?.focus({ preventScroll: true })
}
