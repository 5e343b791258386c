/** Puts the keyboard onto the rows. */
export const focusList = () => document.querySelector<HTMLElement>('[role="grid"]')?.focus({ preventScroll: true })

/** The same, unless somebody is typing or answering a question elsewhere. */
export function focusListIfIdle() {
  if (!document.activeElement?.closest('input, textarea, [role="dialog"], [role="menu"], aside, [role="grid"]')) {
    focusList()
  }
}

/** The same, once a dialog that closes has left the page: until then it has the focus. */
export const focusListAfterDialog = () => void setTimeout(focusListIfIdle)
