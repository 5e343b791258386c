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

/** Focuses the search if the rows were removed with the focus in them. On a phone its keyboard would cover the text. */
export function focusSearchIfLost() {
  if (document.activeElement === document.body && !matchMedia('(pointer: coarse)').matches) {
    document.querySelector<HTMLElement>('[role="searchbox"]')?.focus()
  }
}
