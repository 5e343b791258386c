import type RFB from '@novnc/novnc'
import { useEffect } from 'react'
import { usePreference } from '../../styles/preferences.ts'

export type Scaling = 'fit' | 'original' | 'resize'

/** How the picture is shown, remembered by this browser. */
export function useVncSettings() {
  const [scaling, setScaling] = usePreference<Scaling>('vnc.scaling', 'fit')
  const [quality, setQuality] = usePreference('vnc.quality', 6)
  const [compression, setCompression] = usePreference('vnc.compression', 2)
  const [isSynced, setIsSynced] = usePreference('vnc.clipboard', true)
  return { scaling, setScaling, quality, setQuality, compression, setCompression, isSynced, setIsSynced }
}

export type VncSettings = ReturnType<typeof useVncSettings>

interface Applied {
  settings: VncSettings
  isViewOnly: boolean
  /** A tab that is not on screen has no size that the desktop could take. */
  isShown: boolean
}

/** Gives the client the settings of now. */
export function useAppliedSettings(client: RFB | undefined, { settings, isViewOnly, isShown }: Applied) {
  const { scaling, quality, compression } = settings
  useEffect(() => {
    if (client) {
      client.viewOnly = isViewOnly
      client.qualityLevel = quality
      client.compressionLevel = compression
    }
  }, [client, isViewOnly, quality, compression])
  useEffect(() => {
    if (client && isShown) {
      client.scaleViewport = scaling !== 'original'
      client.resizeSession = scaling === 'resize'
      client.background = 'transparent'
      client.showDotCursor = true
    } else if (client) {
      client.resizeSession = false
    }
  }, [client, scaling, isShown])
}
