import { Alert, Badge, Tooltip } from '@mantine/core'
import { IconPlugConnectedX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { queries } from '../../api/queries.ts'
import { statusText } from '../../components/status.tsx'
import { useLiveState } from '../../hooks/use-live-state.ts'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import * as t from '../../texts.ts'
import { usePreference } from '../../styles/preferences.ts'
import { useSendDrop } from '../transfers/send-drop.tsx'
import { useRunning } from '../viewer-kit/running-sessions.ts'
import { useFullScreen } from '../viewer-kit/use-full-screen.ts'
import { focusToolbar, ViewerToolbar } from '../viewer-kit/viewer-toolbar.tsx'
import { toolbarActions, type PaneHandle, type TerminalContext } from './actions.ts'
import { Dividers } from './dividers.tsx'
import { neighbourOf, panesOf, rectsOf } from './layout.ts'
import { MoreMenu } from './more-menu.tsx'
import { NewTerminal } from './new-terminal.tsx'
import type { TerminalState } from './session-types.ts'
import { TabStrip } from './tab-strip.tsx'
import { activeTab, allPanes, maxPanes, type Tab } from './tabs.ts'
import { placeOf, rememberedTerminal } from './terminal-id.ts'
import { TerminalPane } from './terminal-pane.tsx'
import classes from './terminal.module.css'
import { useTerminalTabs } from './use-terminal-tabs.ts'

const defaultFontSize = 14
const fontSizes = { min: 8, max: 32 }

type States = Readonly<Record<number, TerminalState | undefined>>

/** Tabs and panes of the device's terminals, with their actions. */
function useTerminals() {
  const { device } = usePageDevice()
  const frame = useRef<HTMLDivElement>(null)
  const handles = useRef(new Map<number, PaneHandle>())
  const tabs = useTerminalTabs(device.id)
  const [states, setStates] = useState<States>({})
  const [fontSize, setFontSize] = usePreference('terminal.font-size', defaultFontSize)
  const [shell, setShell] = usePreference(`terminal.shell.${device.id}`, '')
  const { isFull: isFullScreen, toggle: toggleFullScreen } = useFullScreen({ isEscOurs: true })

  const active = activeTab(tabs)
  const state = states[active.pane]
  const shells = Object.values(states).find((each) => each?.facts)?.facts?.shells ?? []
  const chosen = shells.includes(shell) ? shell : undefined

  const closeTab = ({ id, layout }: Tab) => {
    panesOf(layout).forEach((pane) => handles.current.get(pane)?.close())
    tabs.remove(id)
  }
  const closeAll = () => {
    handles.current.forEach((handle) => handle.close())
    tabs.clear()
  }
  const closePane = (tab: Tab, pane: number) => {
    if (panesOf(tab.layout).length > 1) {
      handles.current.get(pane)?.close()
      tabs.removePane(tab.id, pane)
    } else if (tabs.tabs.length > 1) {
      closeTab(tab)
    }
  }
  const context: TerminalContext = {
    get pane() {
      return handles.current.get(active.pane)
    },
    hasSelection: state?.hasSelection ?? false,
    hasHeld: (state?.held ?? '') !== '',
    canSplit: panesOf(active.layout).length < maxPanes,
    isFullScreen,
    toggleFullScreen,
    focusToolbar: () => focusToolbar(frame.current),
    newTab: () => tabs.add(chosen),
    stepTab: tabs.step,
    split: (direction) => tabs.split(direction, chosen),
    movePane(side) {
      const next = neighbourOf(active.layout, active.pane, side)
      if (next !== undefined) {
        tabs.selectPane(next)
      }
    },
    closePane: () => closePane(active, active.pane),
    changeFontSize: (change) => setFontSize((size) => Math.min(fontSizes.max, Math.max(fontSizes.min, size + change))),
    resetFontSize: () => setFontSize(defaultFontSize),
  }
  const setState = (pane: number, next: TerminalState | undefined) =>
    setStates((before) => ({ ...before, [pane]: next }))
  const setHandle = (pane: number, handle: PaneHandle | null) =>
    handle ? handles.current.set(pane, handle) : handles.current.delete(pane)
  return {
    device,
    frame,
    tabs,
    states,
    active,
    state,
    shells,
    chosen,
    fontSize,
    context,
    setShell,
    setState,
    setHandle,
    closeTab,
    closeAll,
    closePane,
  }
}

type Terminals = ReturnType<typeof useTerminals>

function Toolbar({ terminals, onLeave }: { terminals: Terminals; onLeave: () => void }) {
  const { device, tabs, states, state, shells, chosen, context, setShell, closeTab } = terminals
  const isChannelLive = useLiveState().state === 'live'
  const own = useQuery({ ...queries.deviceTerminals(device.id), enabled: device.isOnline })
  const here = new Set(allPanes(tabs).map((pane) => rememberedTerminal(placeOf(device.id, pane))?.id))
  const session = isChannelLive ? (state?.session ?? { phase: 'idle' as const }) : { phase: 'lost' as const, since: 0 }
  const hasFailed = session.phase === 'ended' && session.cause === 'failure'
  const texts = {
    ...t.viewer.phases,
    idle: t.common.deviceOffline,
    connecting: t.terminal.opening,
    lost: isChannelLive ? t.terminal.lost : t.viewer.phases.lost,
    ended: hasFailed ? t.terminal.failed : t.terminal.ended,
  }
  return (
    <ViewerToolbar
      label={t.terminal.toolbar}
      session={session}
      stateText={texts[session.phase]}
      tools={{ actions: toolbarActions, context, menu: <MoreMenu context={context} /> }}
      onLeave={onLeave}
    >
      {state?.facts?.kind === 'line' && (
        <Tooltip label={t.terminal.lineBasedHint}>
          <Badge variant="default" size="sm" tt="none">
            {t.terminal.lineBased}
          </Badge>
        </Tooltip>
      )}
      <TabStrip tabs={tabs} states={states} onClose={closeTab} onLeave={onLeave} />
      <NewTerminal
        context={context}
        shells={shells}
        shell={chosen ?? shells[0]}
        others={own.data?.filter(({ id }) => !here.has(id)) ?? []}
        onChoose={(next) => {
          setShell(next)
          tabs.add(next)
        }}
        onReattach={tabs.reattach}
        onOpened={() => void own.refetch()}
      />
      {context.isFullScreen && <span className={`${classes.leaveHint} small muted`}>{t.terminal.leaveHint}</span>}
    </ViewerToolbar>
  )
}

/** Terminals of the device. Background tabs keep running. */
export default function Terminals() {
  const terminals = useTerminals()
  const { device, tabs, active, state, context, setState, setHandle, closePane } = terminals
  const isShown = useTabIsShown()
  const drop = useSendDrop()
  const focus = () => context.pane?.focus()
  const runs = (pane: number) => {
    const { facts, session } = terminals.states[pane] ?? {}
    return facts !== undefined && session?.phase !== 'ended'
  }
  useRunning('terminal', allPanes(tabs).filter(runs).length, terminals.closeAll)
  const hasEnded = state?.session.phase === 'ended' && state.session.cause !== 'failure'
  return (
    <div ref={terminals.frame} className={classes.frame} data-full-screen={context.isFullScreen || undefined}>
      <Toolbar terminals={terminals} onLeave={focus} />
      {!device.isOnline && !hasEnded && (
        <Alert
          className={classes.notice}
          color="warning"
          icon={<IconPlugConnectedX size={18} />}
          title={statusText(device)}
          role="alert"
        >
          {state?.session.phase === 'lost' ? t.terminal.lostHint : t.terminal.offlineHint}
        </Alert>
      )}
      <div className={classes.panes} {...drop.handlers}>
        {drop.hint}
        <Dividers layout={active.layout} onMove={tabs.moveDivider} onDone={focus} />
        {tabs.tabs.flatMap((tab) =>
          [...rectsOf(tab.layout)].map(([pane, rect]) => (
            <TerminalPane
              key={`${device.id} ${pane}`}
              device={device}
              pane={pane}
              shell={tabs.shells[pane] || undefined}
              view={{
                rect,
                isShown: isShown && tab.id === active.id,
                isActive: pane === tab.pane,
                isSplit: typeof tab.layout !== 'number',
              }}
              fontSize={terminals.fontSize}
              context={context}
              events={{
                onState: (next) => setState(pane, next),
                onSelect: () => pane !== tab.pane && tabs.selectPane(pane),
                onClose: () => closePane(tab, pane),
              }}
              ref={(handle) => void setHandle(pane, handle)}
            />
          )),
        )}
      </div>
    </div>
  )
}
