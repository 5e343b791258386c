import { findAction, isUsable } from '../../components/actions.ts'
import { terminalActions, type TerminalContext } from './actions.ts'

interface KeyOptions {
  /** Whether the browser handles Ctrl+V; false if a program may use that key. */
  isPasteKey: boolean
  /** Called when Ctrl+V is sent to the shell, where users expect it to paste. */
  onLiteralPaste: () => void
}

/**
 * Handler for `attachCustomKeyEventHandler`: returns false for keys that xterm must ignore. The terminal gets all other
 * keys, Esc too.
 */
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
    // The browser pastes by itself, which needs no clipboard permission; xterm adds the paste brackets.
    const isForBrowser = event.shiftKey ? key === 'v' || key === 'k' : key === 'v' && isPasteKey
    if (key === 'v' && !isForBrowser && event.type === 'keydown') {
      onLiteralPaste()
    }
    return !isForBrowser
  }
}
