import { findAction, isUsable } from '../../components/actions.ts'
import { terminalActions, type TerminalContext } from './actions.ts'

interface KeyOptions {
  /** Lets the browser paste with Ctrl+V; false if a program may use that key. */
  isPasteKey: boolean
  /** Called when Ctrl+V goes to the shell, where most people expect it to paste. */
  onLiteralPaste: () => void
}

/** Handler for `attachCustomKeyEventHandler`: false keeps a key from the terminal. All other keys are the terminal's, Esc too. */
export function createKeyHandler(context: TerminalContext, { isPasteKey, onLiteralPaste }: KeyOptions) {
  return (event: KeyboardEvent) => {
    const found = findAction(terminalActions, event)
    if (found && (found.action.isOffered?.(context) ?? true)) {
      event.preventDefault()
      if (event.type === 'keydown' && isUsable(found.action, context)) {
        found.action.run(context, found.key)
      }
      return false
    }
    if (!event.ctrlKey || event.altKey || event.metaKey) {
      return true
    }
    const key = event.key.toLowerCase()
    // The browser pastes by itself, which needs no permission to read the clipboard; xterm brackets the text.
    const isForBrowser = event.shiftKey ? key === 'v' || key === 'k' : key === 'v' && isPasteKey
    if (key === 'v' && !isForBrowser && event.type === 'keydown') {
      onLiteralPaste()
    }
    return !isForBrowser
  }
}
