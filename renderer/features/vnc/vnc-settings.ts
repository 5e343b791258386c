import type RFB from '@novnc/novnc'
import { useEffect } from 'react'
import { usePreference } from '../../styles/preferences.ts'

export type Scaling = 'fit' | 'original' | 'resize'

/** Viewer settings, stored in this browser. */
export interface VncSettings {
  scaling: Scaling
  setScaling: (scaling: Scaling) => void
  quality: number
  setQuality: (quality: number) => void
  compression: number
  setCompression: (compression: number) => void
  isSynced: boolean
  setIsSynced: (isSynced: boolean) => void
}

export function useVncSettings(): VncSettings {
  const [scaling, setScaling] = usePreference<Scaling>('vnc.scaling', 'fit')
  const [quality, setQuality] = usePreference('vnc.quality', 6)
  const [compression, setCompression] = usePreference('vnc.compression', 2)
  const [isSynced, setIsSynced] = usePreference('vnc.clipboard', true)
  return { scaling, setScaling, quality, setQuality, compression, setCompression, isSynced, setIsSynced }
}

interface Applied {
  settings: VncSettings
  isViewOnly: boolean
  /** Whether the tab is visible; a hidden tab has no size that the desktop could be resized to. */
  isShown: boolean
}

/** Applies the settings to the client. */
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
