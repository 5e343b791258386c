/**
 * Gives the focus back to a control that was disabled while its request ran: browsers take the focus from disabled
 * controls, and the next key would reach nothing.
 */
export function keepFocus(): void {
  let last: EventTarget | null = null
  addEventListener('focusin', ({ target }) => (last = target))
  // A press elsewhere says that the person has left the control.
  addEventListener('pointerdown', () => (last = null), true)
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const isBack = target === last && target instanceof HTMLElement && !target.matches(':disabled')
      if (isBack && document.activeElement === document.body) {
        target.focus({ preventScroll: true })
      }
    }
  }).observe(document.body, { subtree: true, attributeFilter: ['disabled'] })
}
