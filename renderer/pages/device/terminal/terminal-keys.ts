/** What the page does in place of the terminal. Every other key is the terminal's own, Ctrl+K and Esc included. */
export interface TerminalActions {
  copy: () => void
  find: () => void
  toggleFullScreen: () => void
  leaveToToolbar: () => void
  /** Keys for text that waits to be sent; undefined while none does. */
  held: { send: () => void; drop: () => void } | undefined
  /** Lets the browser paste with Ctrl+V; false where a program may want that key. */
  isPasteKey: boolean
  /** Ctrl+V went to the shell, which is not what most people mean by it. */
  literalPaste: () => void
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
    const heldAction =
      event.key === 'Escape'
        ? actions.held?.drop
        : event.ctrlKey && event.key === 'Enter'
          ? actions.held?.send
          : undefined
    if (heldAction && !event.shiftKey) {
      event.preventDefault()
      if (event.type === 'keydown') {
        heldAction()
      }
      return false
    }
    if (!event.ctrlKey || event.altKey || event.metaKey) {
      return true
    }
    const key = event.key.toLowerCase()
    // The browser itself pastes, which works without its permission to read the clipboard; xterm brackets the text.
    const isLeftAlone = event.shiftKey ? key === 'v' || key === 'k' : key === 'v' && actions.isPasteKey
    if (key === 'v' && !isLeftAlone && event.type === 'keydown') {
      actions.literalPaste()
    }
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
