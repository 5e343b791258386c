import { useEffect, useState } from 'react'
import { parseJson } from '../../../shared/contract/parse-json.ts'
import { browserStorage } from '../../api/storage.ts'
import { ClipboardScope, type ClipboardOrigin } from './clipboard-scope.ts'
import { SessionClipboard, type ClipboardOptions } from './session-clipboard.ts'

const key = 'farhand.clipboard-origin'

interface Origin {
  deviceId: string
  salt: string
  hash: string
}

export const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

async function hashOf(salt: string, text: string) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${salt} ${text}`))
  return hex(new Uint8Array(digest))
}

const stored = () => (parseJson(browserStorage.get(key) ?? 'null') as Origin | null | undefined) ?? undefined

/** Stored for all windows of this browser, as a salted hash of the text. */
const storedOrigin: ClipboardOrigin = {
  async deviceOf(text) {
    const origin = stored()
    return origin && (await hashOf(origin.salt, text)) === origin.hash ? origin.deviceId : undefined
  },
  async cameFrom(deviceId, text) {
    const salt = hex(crypto.getRandomValues(new Uint8Array(16)))
    const origin: Origin = { deviceId, salt, hash: await hashOf(salt, text) }
    browserStorage.set(key, JSON.stringify(origin))
  },
}

/** Clipboard of a session with one device; uses the options of the latest render. */
export function useSessionClipboard(deviceId: string, options: ClipboardOptions): SessionClipboard {
  const [clipboard] = useState(() => new SessionClipboard(new ClipboardScope(deviceId, storedOrigin), options))
  useEffect(() => {
    clipboard.options = options
  })
  return clipboard
}
