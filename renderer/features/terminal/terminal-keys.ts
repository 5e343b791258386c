import type { Side, Split } from './layout.ts'

/** What the frame around the terminals does for the one that has the keyboard. */
export interface FrameActions {
  toggleFullScreen: () => void
  leaveToToolbar: () => void
  newTab: () => void
  stepTab: (step: 1 | -1) => void
  split: (direction: Split['direction']) => void
  movePane: (side: Side) => void
  closePane: () => void
  changeFontSize: (change: number) => void
  resetFontSize: () => void
}

/** What the page does in place of the terminal. Every other key is the terminal's own, Ctrl+K and Esc included. */
export interface TerminalActions extends FrameActions {
  copy: () => void
  find: () => void
  /** Keys for text that waits to be sent; undefined while none does. */
  held: { send: () => void; drop: () => void } | undefined
  /** Lets the browser paste with Ctrl+V; false where a program may want that key. */
  isPasteKey: boolean
  /** Ctrl+V went to the shell, which is not what most people mean by it. */
  literalPaste: () => void
}

type Keys = Record<string, (() => void) | undefined>

/** For `attachCustomKeyEventHandler`: false keeps a key from the terminal. */
export function createKeyHandler(actions: TerminalActions) {
  const withControlShift: Keys = {
    c: actions.copy,
    f: actions.find,
    enter: actions.toggleFullScreen,
    arrowup: actions.leaveToToolbar,
  }
  const zoom: Keys = {
    '+': () => actions.changeFontSize(1),
    '=': () => actions.changeFontSize(1),
    '-': () => actions.changeFontSize(-1),
    '0': actions.resetFontSize,
  }
  // By what is printed on the key where that is a sign, by its place where Alt may have made another letter of it.
  const withAltShift: Keys = {
    '+': () => actions.split('row'),
    _: () => actions.split('column'),
    '-': () => actions.split('column'),
    Equal: () => actions.split('row'),
    Minus: () => actions.split('column'),
    KeyT: actions.newTab,
    KeyW: actions.closePane,
    PageUp: () => actions.stepTab(-1),
    PageDown: () => actions.stepTab(1),
    ArrowLeft: () => actions.movePane('left'),
    ArrowRight: () => actions.movePane('right'),
    ArrowUp: () => actions.movePane('up'),
    ArrowDown: () => actions.movePane('down'),
  }

  function actionFor(event: KeyboardEvent) {
    const key = event.key.toLowerCase()
    const { ctrlKey, shiftKey, altKey } = event
    return ctrlKey
      ? altKey
        ? undefined
        : ((shiftKey ? withControlShift[key] : undefined) ?? zoom[key])
      : altKey && shiftKey
        ? (withAltShift[event.key] ?? withAltShift[event.code])
        : undefined
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
    const isControl = event.ctrlKey && !event.altKey
    if (event.metaKey || !(isControl || (event.altKey && event.shiftKey))) {
      return true
    }
    const key = event.key.toLowerCase()
    // The browser itself pastes, which works without its permission to read the clipboard; xterm brackets the text.
    const isLeftAlone = isControl && (event.shiftKey ? key === 'v' || key === 'k' : key === 'v' && actions.isPasteKey)
    if (isControl && key === 'v' && !isLeftAlone && event.type === 'keydown') {
      actions.literalPaste()
    }
    const action = actionFor(event)
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
