import { useEffect, useState } from 'react'
import { storedOrigin } from './clipboard-origin.ts'
import { ClipboardScope } from './clipboard-scope.ts'
import { SessionClipboard, type ClipboardOptions } from './session-clipboard.ts'

/** Clipboard of a session with one device; uses the options of the latest render. */
export function useSessionClipboard(deviceId: string, options: ClipboardOptions): SessionClipboard {
  const [clipboard] = useState(() => new SessionClipboard(new ClipboardScope(deviceId, storedOrigin), options))
  useEffect(() => {
    clipboard.options = options
  })
  return clipboard
}
