/** What the page does in place of the terminal. Every other key is the terminal's own, Ctrl+K and Esc included. */
export interface TerminalActions {
  copy: () => void
  find: () => void
  toggleFullScreen: () => void
  leaveToToolbar: () => void
  changeFontSize: (change: number) => void
  resetFontSize: () => void
}

/** For `attachCustomKeyEventHandler`: false keeps a key from the terminal. */
export function createKeyHandler(actions: TerminalActions) {
  const withShift: Record<string, (() => void) | undefined> = {
    c: actions.copy,
    f: actions.find,
    enter: actions.toggleFullScreen,
    arrowup: actions.leaveToToolbar,
  }
  const zoom: Record<string, (() => void) | undefined> = {
    '+': () => actions.changeFontSize(1),
    '=': () => actions.changeFontSize(1),
    '-': () => actions.changeFontSize(-1),
    '0': actions.resetFontSize,
  }
  return (event: KeyboardEvent) => {
    if (!event.ctrlKey || event.altKey || event.metaKey) {
      return true
    }
    const key = event.key.toLowerCase()
    // The browser itself pastes, which works without its permission to read the clipboard; xterm brackets the text.
    const isLeftAlone = event.shiftKey && (key === 'v' || key === 'k')
    const action = (event.shiftKey ? withShift[key] : undefined) ?? zoom[key]
    if (!action) {
      return !isLeftAlone
    }
    event.preventDefault()
    if (event.type === 'keydown') {
      action()
    }
    return false
  }
}
