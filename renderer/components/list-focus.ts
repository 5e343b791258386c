/** Focuses the rows. */
export const focusList = () => document.querySelector<HTMLElement>('[role="grid"]')?.focus({ preventScroll: true })

/** Focuses the rows unless another field, list or dialog has the focus. */
export function focusListIfIdle() {
  if (!document.activeElement?.closest('input, textarea, [role="dialog"], [role="menu"], aside, [role="grid"]')) {
    focusList()
  }
}

/** Focuses the rows after a closing dialog has been removed: until then it has the focus. */
export const focusListAfterDialog = () => void setTimeout(focusListIfIdle)
