import { useCallback, useEffect, useRef } from 'react'
import { en as t } from '../../strings/en.ts'
import { storedOrigin } from '../viewer-kit/clipboard-origin.ts'
import { ClipboardScope, type Sharing } from '../viewer-kit/clipboard-scope.ts'
import type { ControlSession } from './control-session.ts'

/** Why the clipboard of this browser cannot be shared at all. */
export const isClipboardHere = () => window.isSecureContext && navigator.clipboard !== undefined

interface SharedClipboardOptions {
  deviceId: string
  isOn: boolean
  canRead: boolean
  canWrite: boolean
  onNote: (note: string) => void
}

const notes: Partial<Record<Sharing, string>> = {
  foreign: t.control.clipboardForeign,
  'too-long': t.control.clipboardLong,
}

/** Text of the clipboard, both ways, while the hands are in this session and nowhere else. */
export function useSharedClipboard(options: SharedClipboardOptions) {
  const latest = useRef(options)
  useEffect(() => {
    latest.current = options
  })
  const scope = useRef<ClipboardScope>(undefined)
  scope.current ??= new ClipboardScope(options.deviceId, storedOrigin)
  const hasFocus = useRef(false)

  /** The device has copied something. */
  const take = useCallback(async (text: string) => {
    const { isOn, canRead, onNote } = latest.current
    if (!isOn || !canRead || !hasFocus.current || !document.hasFocus() || !isClipboardHere()) {
      return
    }
    const sharing = await scope.current?.incoming(text)
    if (sharing === 'share') {
      try {
        await navigator.clipboard.writeText(text)
        onNote(t.control.clipboardTaken)
      } catch {
        onNote(t.control.clipboardNot.refused)
      }
    } else if (sharing === 'too-long') {
      onNote(t.control.clipboardLong)
    }
  }, [])

  /** What was copied here goes to the device; `isMeant` also what came from another one. */
  const give = useCallback(async (session: ControlSession, isMeant = false) => {
    const { isOn, canWrite, onNote } = latest.current
    const mayGive = canWrite && !session.isViewOnly && session.state.phase.name === 'running'
    if ((!isOn && !isMeant) || !mayGive || !isClipboardHere()) {
      return
    }
    try {
      const text = await navigator.clipboard.readText()
      const sharing = (await scope.current?.outgoing(text, isMeant)) ?? 'same'
      if (sharing === 'share' && (isMeant || hasFocus.current)) {
        session.send({ name: 'ClipboardText', payload: { text, sessionId: session.sessionId } })
      }
      const note = sharing === 'share' && isMeant ? t.control.clipboardSent : notes[sharing]
      if (note !== undefined) {
        onNote(note)
      }
    } catch {
      if (isMeant) {
        onNote(t.control.clipboardNot.refused)
      }
    }
  }, [])

  const focus = useCallback(
    (isFocused: boolean, session: ControlSession) => {
      hasFocus.current = isFocused
      if (isFocused) {
        void give(session)
      }
    },
    [give],
  )
  const forget = useCallback(() => scope.current?.forget(), [])
  return { take, give, focus, forget }
}
