import type RFB from '@novnc/novnc'
import { useEffect, useMemo, useState, type RefObject } from 'react'
import { storedOrigin } from '../viewer-kit/clipboard-origin.ts'
import { ClipboardScope } from '../viewer-kit/clipboard-scope.ts'
import { mostClipboard, takeText, textToGive } from './clipboard-exchange.ts'

interface ClipboardOptions {
  deviceId: string
  client: () => RFB | undefined
  frame: RefObject<HTMLElement | null>
  /** The tab is on screen and connected. */
  isActive: boolean
  /** The person wants both clipboards to be the same. */
  isSynced: boolean
  mayRead: boolean
  mayWrite: boolean
}

/** Whether this page may read the clipboard without a question that would come up in the middle of the work. */
async function mayReadQuietly() {
  // A name that the types of the DOM do not know.
  const name = 'clipboard-read' as PermissionName
  const status = await navigator.permissions.query({ name }).catch(() => undefined)
  return status?.state === 'granted'
}

/** Text between both clipboards, while the person works in this tab and nowhere else. */
export function useVncClipboard(options: ClipboardOptions) {
  const { deviceId, client, frame, isActive, isSynced, mayRead, mayWrite } = options
  const [received, setReceived] = useState('')
  const [isTooLong, setIsTooLong] = useState(false)
  const scope = useMemo(() => new ClipboardScope(deviceId, storedOrigin), [deviceId])

  const receive = (text: string) => {
    if (!mayRead) {
      return
    }
    setIsTooLong(text.length > mostClipboard)
    if (text.length > mostClipboard) {
      return
    }
    const clean = text.toWellFormed()
    setReceived(clean)
    if (isSynced && isActive && document.hasFocus() && navigator.clipboard) {
      void takeText(scope, navigator.clipboard, clean).catch(() => {})
    }
  }

  const send = (text: string) => {
    const isShort = text.length <= mostClipboard
    setIsTooLong(!isShort)
    if (mayWrite && isShort) {
      void scope.outgoing(text, true)
      client()?.clipboardPasteFrom(text)
    }
    return mayWrite && isShort
  }

  useEffect(() => {
    const element = frame.current
    if (!element || !isActive || !isSynced || !mayWrite) {
      return
    }
    const offer = async () => {
      if (navigator.clipboard && (await mayReadQuietly())) {
        const text = await textToGive(scope, navigator.clipboard).catch(() => undefined)
        if (text !== undefined) {
          client()?.clipboardPasteFrom(text)
        }
      }
    }
    const handleFocus = ({ target }: FocusEvent) => {
      if (target instanceof HTMLCanvasElement) {
        void offer()
      }
    }
    const handleWindowFocus = () => {
      if (document.activeElement instanceof HTMLCanvasElement && element.contains(document.activeElement)) {
        void offer()
      }
    }
    element.addEventListener('focusin', handleFocus)
    window.addEventListener('focus', handleWindowFocus)
    return () => {
      element.removeEventListener('focusin', handleFocus)
      window.removeEventListener('focus', handleWindowFocus)
    }
  }, [client, frame, isActive, isSynced, mayWrite, scope])

  return { received, isTooLong, receive, send }
}

export type VncClipboard = ReturnType<typeof useVncClipboard>
