import { useState } from 'react'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import { usePageDevice } from '../../hooks/use-page-device.ts'
import { ControlRoom } from './control-room.tsx'
import { SessionCards } from './session-cards.tsx'
import { useControlSettings } from './settings.ts'

/** Selected desktop and mode. */
interface Chosen {
  desktop: DesktopSession
  isViewOnly: boolean
}

/** List of the device's desktops, or the selected desktop. */
export default function RemoteControl() {
  const { device } = usePageDevice()
  const [settings, change] = useControlSettings(device.id)
  const [chosen, setChosen] = useState<Chosen>()
  return chosen ? (
    <ControlRoom
      desktop={chosen.desktop}
      startsViewOnly={chosen.isViewOnly}
      settings={settings}
      onChange={change}
      onLeave={() => setChosen(undefined)}
    />
  ) : (
    <SessionCards
      settings={settings}
      onChange={change}
      onChoose={(desktop, isViewOnly) => setChosen({ desktop, isViewOnly })}
    />
  )
}
