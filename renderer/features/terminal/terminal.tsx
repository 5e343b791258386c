import { Alert } from '@mantine/core'
import { IconPlugConnectedX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { queries } from '../../api/queries.ts'
import { statusText } from '../../components/status.tsx'
import { useFullScreen } from '../viewer-kit/use-full-screen.ts'
import { en as t } from '../../strings/en.ts'
import { usePreference } from '../../styles/preferences.ts'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import { Dividers } from './dividers.tsx'
import { neighbourOf, panesOf, rectsOf, type Side } from './layout.ts'
import { paneName } from './names.ts'
import { NewTerminal } from './new-terminal.tsx'
import { TabStrip } from './tab-strip.tsx'
import { activeTab, allPanes, maxPanes, type Tab } from './tabs.ts'
import { placeOf, rememberedTerminal } from './terminal-id.ts'
import type { FrameActions } from './terminal-keys.ts'
import { TerminalPane, type PaneHandle } from './terminal-pane.tsx'
import { TerminalToolbar } from './terminal-toolbar.tsx'
import classes from './terminal.module.css'
import type { PaneStatus } from './use-terminal-session.ts'
import { useTerminalTabs } from './use-terminal-tabs.ts'

const firstFontSize = 14
const fontSizes = { min: 8, max: 32 }

/** The terminals on the device of the page; those behind the one on screen go on. */
export default function Terminals() {
  const { device } = usePageDevice()
  const isShown = useTabIsShown()
  const frame = useRef<HTMLDivElement>(null)
  const handles = useRef(new Map<number, PaneHandle>())
  const tabs = useTerminalTabs(device.id)
  const [statuses, setStatuses] = useState<Readonly<Record<number, PaneStatus>>>({})
  const [fontSize, setFontSize] = usePreference('terminal.font-size', firstFontSize)
  const [shell, setShell] = usePreference(`terminal.shell.${device.id}`, '')
  const { isFull: isFullScreen, toggle: toggleFullScreen } = useFullScreen({ isEscOurs: true })
  const own = useQuery({ ...queries.deviceTerminals(device.id), enabled: device.isOnline })

  const active = activeTab(tabs)
  const status = statuses[active.pane]
  const here = new Set(allPanes(tabs).map((pane) => rememberedTerminal(placeOf(device.id, pane))?.id))
  const others = own.data?.filter(({ id }) => !here.has(id)) ?? []
  const shells = Object.values(statuses).find(({ facts }) => facts)?.facts?.shells ?? []
  const chosen = shells.includes(shell) ? shell : undefined
  const inHand = () => handles.current.get(active.pane)
  const focus = () => inHand()?.focus()

  const closeTab = ({ id, layout }: Tab) => {
    panesOf(layout).forEach((pane) => handles.current.get(pane)?.close())
    tabs.remove(id)
  }
  const closePane = (tab: Tab, pane: number) => {
    if (panesOf(tab.layout).length > 1) {
      handles.current.get(pane)?.close()
      tabs.removePane(tab.id, pane)
    } else if (tabs.tabs.length > 1) {
      closeTab(tab)
    }
  }
  const changeFontSize = (change: number) =>
    setFontSize((size) => Math.min(fontSizes.max, Math.max(fontSizes.min, size + change)))

  const actions: FrameActions = {
    toggleFullScreen,
    leaveToToolbar: () => frame.current?.querySelector<HTMLElement>('[role="toolbar"] button:enabled')?.focus(),
    newTab: () => tabs.add(chosen),
    stepTab: tabs.step,
    split: (direction) => tabs.split(direction, chosen),
    movePane(side: Side) {
      const next = neighbourOf(active.layout, active.pane, side)
      if (next !== undefined) {
        tabs.selectPane(next)
      }
    },
    closePane: () => closePane(active, active.pane),
    changeFontSize,
    resetFontSize: () => setFontSize(firstFontSize),
  }

  const phase = status?.state.phase
  return (
    <div ref={frame} className={classes.frame} data-full-screen={isFullScreen || undefined}>
      <TerminalToolbar
        status={status}
        strip={
          <>
            <TabStrip tabs={tabs} statuses={statuses} onClose={closeTab} onLeave={focus} />
            <NewTerminal
              shells={shells}
              shell={chosen ?? shells[0]}
              others={others}
              onAdd={actions.newTab}
              onChoose={(next) => {
                setShell(next)
                tabs.add(next)
              }}
              onTakeUp={tabs.takeUp}
              onOpened={() => void own.refetch()}
            />
          </>
        }
        isFullScreen={isFullScreen}
        canSplit={panesOf(active.layout).length < maxPanes}
        onCopy={() => inHand()?.copy()}
        onPaste={() => inHand()?.paste()}
        onClear={() => inHand()?.clear()}
        onFind={() => inHand()?.find()}
        onSplit={actions.split}
        onFontSize={changeFontSize}
        onFullScreen={toggleFullScreen}
        onLeave={focus}
      />
      {!device.isOnline && phase !== 'ended' && (
        <Alert
          className={classes.notice}
          color="warning"
          icon={<IconPlugConnectedX size={18} />}
          title={statusText(device)}
          role="alert"
        >
          {phase === 'lost' ? t.terminal.lostHint : t.terminal.offlineHint}
        </Alert>
      )}
      <div className={classes.panes}>
        <Dividers layout={active.layout} onMove={tabs.moveDivider} onDone={focus} />
        {tabs.tabs.flatMap((tab) =>
          [...rectsOf(tab.layout)].map(([pane, rect]) => (
            <TerminalPane
              key={`${device.id} ${pane}`}
              device={device}
              pane={pane}
              shell={tabs.shells[pane] || undefined}
              name={paneName(statuses[pane], pane)}
              rect={rect}
              isShown={isShown && tab.id === active.id}
              isActive={pane === tab.pane}
              isSplit={typeof tab.layout !== 'number'}
              fontSize={fontSize}
              actions={actions}
              onStatus={(next) => setStatuses((before) => ({ ...before, [pane]: next }))}
              onSelect={() => pane !== tab.pane && tabs.selectPane(pane)}
              onClose={() => closePane(tab, pane)}
              ref={(handle) => {
                if (handle) {
                  handles.current.set(pane, handle)
                } else {
                  handles.current.delete(pane)
                }
              }}
            />
          )),
        )}
      </div>
    </div>
  )
}
