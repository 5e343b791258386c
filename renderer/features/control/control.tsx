import { useEffect, useEffectEvent, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import type { BeginRequest } from '../../components/device-tabs.ts'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import { ControlRoom } from './control-room.tsx'
import { takeDisplayRequest } from './own-display.ts'
import { SessionCards, type BeginningSession } from './session-cards.tsx'
import { useControlSettings } from './settings.ts'

/** Selected desktop and mode. */
interface Chosen {
  desktop: DesktopSession
  displayId: string | undefined
  isViewOnly: boolean
}

/**
 * Session to begin without a choice, as the history state or the opener of this window asks. Takes the request out of
 * the history, so that neither a reload nor a way back repeats it.
 */
function useBeginningSession(deviceId: string) {
  const { state, pathname, search } = useLocation()
  const navigate = useNavigate()
  const isShown = useTabIsShown()
  const isAsked = isShown && (state as Partial<BeginRequest> | null)?.begin === true
  const [request, setRequest] = useState<BeginningSession>()
  useEffect(() => {
    if (isAsked) {
      setRequest({ since: Date.now() })
      void navigate(pathname, { replace: true })
    }
  }, [isAsked, navigate, pathname])
  const takeOpener = useEffectEvent(() => {
    const opened = takeDisplayRequest(search, deviceId)
    if (opened) {
      setRequest({ since: Date.now(), ...opened })
    }
  })
  useEffect(() => takeOpener(), [])
  return [request, () => setRequest(undefined)] as const
}

/** List of the device's desktops, or the selected desktop. */
export default function RemoteControl() {
  const { device } = usePageDevice()
  const [settings, change] = useControlSettings(device.id)
  const [chosen, setChosen] = useState<Chosen>()
  const [isAfterSession, setIsAfterSession] = useState(false)
  const [request, endRequest] = useBeginningSession(device.id)
  const leave = () => {
    endRequest()
    setChosen(undefined)
    setIsAfterSession(true)
  }
  return chosen ? (
    <ControlRoom
      desktop={chosen.desktop}
      displayId={chosen.displayId}
      startsViewOnly={chosen.isViewOnly}
      settings={settings}
      onChange={change}
      onLeave={leave}
    />
  ) : (
    <SessionCards
      settings={settings}
      onChange={change}
      request={request}
      onChoose={(desktop, isViewOnly, displayId) => {
        endRequest()
        change({ isViewOnly })
        setChosen({ desktop, displayId, isViewOnly })
      }}
      onStay={endRequest}
      isAfterSession={isAfterSession}
    />
  )
}
