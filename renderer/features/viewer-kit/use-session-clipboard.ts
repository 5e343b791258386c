import { useEffect, useState } from 'react'
import { storedOrigin } from './clipboard-origin.ts'
import { ClipboardScope } from './clipboard-scope.ts'
import { SessionClipboard, type ClipboardOptions } from './session-clipboard.ts'

/** The clipboard of the session with one device, with the options of the latest render. */
export function useSessionClipboard(deviceId: string, options: ClipboardOptions): SessionClipboard {
  const [clipboard] = useState(() => new SessionClipboard(new ClipboardScope(deviceId, storedOrigin), options))
  useEffect(() => {
    clipboard.options = options
  })
  return clipboard
}
