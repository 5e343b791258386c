import { useState } from 'react'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import { viewer } from '../../api/hubs.ts'
import * as t from '../../texts.ts'
import { usePageDevice } from '../../hooks/use-page-device.ts'
import type { ControlSession } from './control-session.ts'
import { ctrlAltDel, strokesOf, type HeldModifier, type SpecialKey } from './keys.ts'

const windows = 1

interface SpecialKeysInput {
  session: ControlSession | undefined
  desktop: DesktopSession
  onNote: (text: string) => void
}

/** Keys pressed by buttons of the page, and modifiers held for the next key. */
export interface SpecialKeys {
  held: readonly HeldModifier[]
  press: (key: SpecialKey) => void
  canCtrlAltDel: boolean
  pressCtrlAltDel: () => Promise<void>
  /** Holds or releases a modifier for the next key. */
  toggle: (modifier: HeldModifier) => void
  /** Returns and releases the held modifiers. */
  take: () => readonly HeldModifier[]
  release: () => void
}

export function useSpecialKeys({ session, desktop, onNote }: SpecialKeysInput): SpecialKeys {
  const { device, can } = usePageDevice()
  const [held, setHeld] = useState<readonly HeldModifier[]>([])
  const release = () => setHeld([])

  const press = (key: SpecialKey) => {
    const strokes = strokesOf({ ...key, held: [...held, ...key.held] })
    strokes.forEach((payload) => session?.act({ name: 'KeyEvent', payload }))
    release()
  }

  const pressCtrlAltDel = async () => {
    if (device.platform !== windows) {
      press(ctrlAltDel)
      return
    }
    try {
      const { isSuccess, reason } = await viewer.InvokeCtrlAltDel2({
        deviceId: device.id,
        targetDesktopProcessId: session?.processId ?? desktop.processId,
        desktopSessionType: desktop.type,
      })
      if (!isSuccess) {
        onNote(`${t.control.ctrlAltDelFailed}: ${reason ?? t.control.refused}`)
      }
    } catch {
      onNote(`${t.control.ctrlAltDelFailed}: ${t.control.noServer}`)
    }
  }

  return {
    held,
    press,
    canCtrlAltDel: device.platform !== windows || can('device.ctrl-alt-del.send'),
    pressCtrlAltDel,
    toggle: (modifier) =>
      setHeld((before) =>
        before.includes(modifier) ? before.filter((each) => each !== modifier) : [...before, modifier],
      ),
    take() {
      if (held.length > 0) {
        release()
      }
      return held
    },
    release,
  }
}
