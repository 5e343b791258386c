import { useRef, useState } from 'react'
import { usePreference } from '../../../styles/preferences.ts'
import { usePageDevice, useTabIsShown } from '../page-device.ts'
import type { TerminalSession } from './session.ts'
import { TabStrip } from './tab-strip.tsx'
import { firstFontSize, TerminalPane } from './terminal-pane.tsx'
import classes from './terminal.module.css'
import { useFullScreen } from './use-full-screen.ts'
import { useTerminalTabs } from './use-terminal-tabs.ts'

/** The terminals on the device of the page; those behind the one on screen go on. */
export default function Terminals() {
  const { device } = usePageDevice()
  const isShown = useTabIsShown()
  const frame = useRef<HTMLDivElement>(null)
  const tabs = useTerminalTabs(device.id)
  const [titles, setTitles] = useState<Readonly<Record<number, string>>>({})
  const sessions = useRef<Record<number, TerminalSession>>({})
  const [fontSize, setFontSize] = usePreference('terminal.font-size', firstFontSize)
  const [isFullScreen, toggleFullScreen] = useFullScreen(frame)
  const close = (tab: number) => {
    sessions.current[tab]?.close()
    tabs.remove(tab)
  }
  return (
    <div ref={frame} className={classes.frame} data-full-screen={isFullScreen || undefined}>
      {tabs.tabs.map((tab) => (
        <TerminalPane
          key={`${device.id} ${tab}`}
          device={device}
          tab={tab}
          isActive={isShown && tab === tabs.active}
          strip={<TabStrip tabs={tabs} titles={titles} onClose={close} />}
          fontSize={fontSize}
          isFullScreen={isFullScreen}
          onFontSize={setFontSize}
          onFullScreen={toggleFullScreen}
          onTitle={(title) => setTitles((before) => ({ ...before, [tab]: title }))}
          onSession={(session) => (sessions.current[tab] = session)}
        />
      ))}
    </div>
  )
}
