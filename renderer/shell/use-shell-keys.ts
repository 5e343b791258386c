import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { runShortcut } from '../components/actions.ts'
import { useIsGuest } from '../hooks/use-is-guest.ts'
import { useSession } from '../hooks/use-session.ts'
import { shellCommands, type ShellDialog } from './commands.ts'
import { pageEntries, useOfferedPages } from './navigation.tsx'
import { togglePalette } from './palette-store.ts'

const chordMs = 1_000

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))

/** Global keyboard shortcuts. A terminal gets all keys, Ctrl+K too; Ctrl+Shift+K opens the palette there. */
export function useShellKeys(onOpen: (dialog: ShellDialog) => void) {
  const navigate = useNavigate()
  const { signOut } = useSession()
  const isGuest = useIsGuest()
  const pages = useOfferedPages()
  useEffect(() => {
    /** Timestamp of the key press, since a busy page gets the event later. */
    let chordStart = Number.NEGATIVE_INFINITY
    const handleKeyDown = (event: KeyboardEvent) => {
      const isInTerminal = event.target instanceof HTMLElement && event.target.closest('.xterm') !== null
      if (event.defaultPrevented) {
        return
      }
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k' && (!isInTerminal || event.shiftKey)) {
        event.preventDefault()
        togglePalette()
        return
      }
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) {
        return
      }
      if (event.key === 'g') {
        chordStart = event.timeStamp
      } else if (
        runShortcut(shellCommands, event, { isGuest, openPage: (to) => void navigate(to), openDialog: onOpen, signOut })
      ) {
        event.preventDefault()
      }
    }
    /** Takes the second key of a chord before the page: C in a list opens the desktops of a device. */
    const handleChord = (event: KeyboardEvent) => {
      const entry =
        event.timeStamp - chordStart < chordMs ? pageEntries.find(({ chord }) => chord === event.key) : undefined
      chordStart = Number.NEGATIVE_INFINITY
      if (entry && !isTyping(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault()
        event.stopPropagation()
        if (pages.includes(entry)) {
          void navigate(entry.path)
        }
      }
    }
    document.addEventListener('keydown', handleChord, true)
    document.addEventListener('keydown', handleKeyDown)
    return () => {
      document.removeEventListener('keydown', handleChord, true)
      document.removeEventListener('keydown', handleKeyDown)
    }
  }, [navigate, onOpen, pages, signOut, isGuest])
}
