import { useEffect } from 'react'
import { findUsable } from '../../components/actions.ts'
import { playerActions } from './actions.ts'
import type { Playback } from './playback.ts'

/** Whether an element needs a key for itself. The recorded terminal is only read, and a button is pressed with Space. */
function needs(element: Element, key: string) {
  const isField = element.matches('input, textarea') && !element.closest('.xterm')
  return isField || element.closest('[role="dialog"]') !== null || (key === ' ' && element.matches('button, a'))
}

/** Shortcuts of the player, anywhere on its page; the slider's own steps are too short for a recording. */
export function usePlayerKeys(playback: Playback): void {
  useEffect(() => {
    const handleKeyDown = (event: KeyboardEvent) => {
      const run = findUsable(playerActions, event, playback)
      if (run && !(event.target instanceof Element && needs(event.target, event.key))) {
        event.preventDefault()
        event.stopPropagation()
        run()
      }
    }
    document.addEventListener('keydown', handleKeyDown, true)
    return () => document.removeEventListener('keydown', handleKeyDown, true)
  }, [playback])
}
