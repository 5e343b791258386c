import { Suspense } from 'react'
import { Outlet, useMatch } from 'react-router'
import { useRunningSessions } from '../../../features/viewer-kit/running-sessions.ts'
import { Component as DevicePage } from './device-page.tsx'

/** The page in the address. Pages of devices with running sessions stay, hidden while another page is shown. */
export function Component() {
  const { deviceId: current, tab = '' } = useMatch('/devices/:deviceId/:tab?')?.params ?? {}
  const kept = useRunningSessions().map(({ deviceId }) => deviceId)
  // A stable order, so that no picture or terminal moves in the document.
  const opened = [...new Set(current === undefined ? kept : [...kept, current])].toSorted()
  return (
    <>
      <Outlet />
      {opened.map((deviceId) => (
        <Suspense key={deviceId}>
          <DevicePage deviceId={deviceId} tab={deviceId === current ? tab : undefined} />
        </Suspense>
      ))}
    </>
  )
}
