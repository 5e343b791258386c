import { Alert, Badge, Tooltip } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconPlugConnectedX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState, type RefObject } from 'react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { deviceQueries } from '../../api/device-queries.ts'
import { statusText } from '../../components/status.tsx'
import { useDeviceAccess } from '../../hooks/use-device.ts'
import { useLiveState } from '../../hooks/use-live-state.ts'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import * as t from '../../texts.ts'
import { usePreference } from '../../styles/preferences.ts'
import { useSendDrop } from '../transfers/send-drop.tsx'
import { useRecording } from '../viewer-kit/use-recording.ts'
import { useRunning } from '../viewer-kit/running-sessions.ts'
import { useFullScreen } from '../viewer-kit/use-full-screen.ts'
import { focusToolbar, ViewerToolbar } from '../viewer-kit/viewer-toolbar.tsx'
import { toolbarActions, type PaneHandle, type TerminalContext } from './actions.ts'
import { Dividers } from './dividers.tsx'
import { GuestsLine } from './guests-line.tsx'
import { neighbourOf, panesOf, rectsOf } from './layout.ts'
import { MoreMenu } from './more-menu.tsx'
import { NewTerminal } from './new-terminal.tsx'
import type { TerminalState } from './session-types.ts'
import { ShareTerminal } from './share-terminal.tsx'
import { TabStrip } from './tab-strip.tsx'
import { activeTab, allPanes, maxPanes, type Tab } from './tabs.ts'
import { placeOf, rememberedTerminal } from './terminal-id.ts'
import { TerminalPane } from './terminal-pane.tsx'
import classes from './terminal.module.css'
import { useTerminalShares, type TerminalSharing } from './use-terminal-shares.ts'
import { useTerminalTabs, type TerminalTabs } from './use-terminal-tabs.ts'

const showToast = (message: string) => void notifications.show({ message })

const defaultFontSize = 14
const fontSizes = { min: 8, max: 32 }

type States = Readonly<Record<number, TerminalState | undefined>>

/** Terminals of a device: tabs, with the handle and the last state of each pane. */
interface Terminals {
  tabs: TerminalTabs
  active: Tab
  states: States
  setState: (pane: number, state: TerminalState | undefined) => void
  handleOf: (pane: number) => PaneHandle | undefined
  setHandle: (pane: number, handle: PaneHandle | null) => void
  closePane: (tab: Tab, pane: number) => void
  closeTab: (tab: Tab) => void
  closeAll: () => void
}

function useTerminals(deviceId: string): Terminals {
  const handles = useRef(new Map<number, PaneHandle>())
  const tabs = useTerminalTabs(deviceId)
  const [states, setStates] = useState<States>({})
  const closeTab = ({ id, layout }: Tab) => {
    panesOf(layout).forEach((pane) => handles.current.get(pane)?.close())
    tabs.remove(id)
  }
  return {
    tabs,
    active: activeTab(tabs),
    states,
    setState: (pane, next) => setStates((before) => ({ ...before, [pane]: next })),
    handleOf: (pane) => handles.current.get(pane),
    setHandle: (pane, handle) => (handle ? handles.current.set(pane, handle) : handles.current.delete(pane)),
    closePane(tab, pane) {
      if (panesOf(tab.layout).length > 1) {
        handles.current.get(pane)?.close()
        tabs.removePane(tab.id, pane)
      } else if (tabs.tabs.length > 1) {
        closeTab(tab)
      }
    },
    closeTab,
    closeAll() {
      handles.current.forEach((handle) => handle.close())
      tabs.clear()
    },
  }
}

/** Programs that the device offers, and the one that the user chose for new terminals. */
interface ShellChoice {
  shells: readonly string[]
  chosen: string | undefined
  choose: (shell: string) => void
}

function useShellChoice(deviceId: string, states: States): ShellChoice {
  const [shell, choose] = usePreference(`terminal.shell.${deviceId}`, '')
  const shells = Object.values(states).find((each) => each?.facts)?.facts?.shells ?? []
  return { shells, chosen: shells.includes(shell) ? shell : undefined, choose }
}

/** Id of the terminal with the focus, while its shell runs. */
const openTerminal = (deviceId: string, { pane }: Tab, states: States) =>
  states[pane]?.session.phase === 'open' ? rememberedTerminal(placeOf(deviceId, pane))?.id : undefined

/** Target of the actions of the toolbar and the keyboard. */
function useTerminalContext(
  deviceId: string,
  { tabs, active, states, handleOf, closePane }: Terminals,
  { chosen }: ShellChoice,
  setFontSize: (change: (size: number) => number) => void,
  frame: RefObject<HTMLElement | null>,
  { shared, openSharing }: { shared: TerminalSharing | undefined; openSharing: () => void },
): TerminalContext {
  const { isFull: isFullScreen, toggle: toggleFullScreen } = useFullScreen({ isEscOurs: true })
  const state = states[active.pane]
  const terminalId = openTerminal(deviceId, active, states)
  const recording = useRecording(terminalId, showToast)
  return {
    recording,
    sharing: shared && { hasGuests: shared.shares.some(({ isHere }) => isHere), open: openSharing },
    get pane() {
      return handleOf(active.pane)
    },
    hasSelection: state?.hasSelection ?? false,
    hasPending: (state?.pending ?? '') !== '',
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
    resetFontSize: () => setFontSize(() => defaultFontSize),
  }
}

interface ToolbarProps {
  device: DeviceResponseDto
  terminals: Terminals
  shell: ShellChoice
  context: TerminalContext
  onLeave: () => void
}

function Toolbar({ device, terminals, shell, context, onLeave }: ToolbarProps) {
  const { tabs, states, active, closeTab } = terminals
  const { shells, chosen, choose } = shell
  const state = states[active.pane]
  const isChannelLive = useLiveState().state === 'live'
  const own = useQuery({ ...deviceQueries.terminals(device.id), enabled: device.isOnline })
  const here = new Set(allPanes(tabs).map((pane) => rememberedTerminal(placeOf(device.id, pane))?.id))
  const session = isChannelLive ? (state?.session ?? { phase: 'idle' as const }) : { phase: 'lost' as const, since: 0 }
  const hasFailed = session.phase === 'ended' && session.cause === 'failure'
  const texts = {
    ...t.viewer.phases,
    idle: device.isOnline ? t.terminal.opening : t.common.deviceOffline,
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
          <Badge variant="default" size="sm">
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
          choose(next)
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
export default function TerminalPanel() {
  const { device } = usePageDevice()
  const frame = useRef<HTMLDivElement>(null)
  const [fontSize, setFontSize] = usePreference('terminal.font-size', defaultFontSize)
  const terminals = useTerminals(device.id)
  const { tabs, active, states } = terminals
  const shell = useShellChoice(device.id, states)
  const can = useDeviceAccess(device.id)
  const isPty = states[active.pane]?.facts?.kind === 'pty'
  const sharedId = isPty && can('device.logon-token.create') ? openTerminal(device.id, active, states) : undefined
  const shared = useTerminalShares(device.id, sharedId)
  const [isSharing, setIsSharing] = useState(false)
  const openSharing = () => setIsSharing(true)
  const context = useTerminalContext(device.id, terminals, shell, setFontSize, frame, { shared, openSharing })
  const isShown = useTabIsShown()
  const drop = useSendDrop()
  const state = states[active.pane]
  const focus = () => context.pane?.focus()
  const runs = (pane: number) => {
    const { facts, session } = states[pane] ?? {}
    return facts !== undefined && session?.phase !== 'ended'
  }
  useRunning('terminal', allPanes(tabs).filter(runs).length, terminals.closeAll)
  const hasEnded = state?.session.phase === 'ended' && state.session.cause !== 'failure'
  return (
    <div ref={frame} className={classes.frame} data-full-screen={context.isFullScreen || undefined}>
      <Toolbar device={device} terminals={terminals} shell={shell} context={context} onLeave={focus} />
      {shared && <GuestsLine sharing={shared} />}
      {shared && sharedId && (
        <ShareTerminal
          deviceId={device.id}
          terminalId={sharedId}
          sharing={shared}
          isOpen={isSharing}
          onClose={() => setIsSharing(false)}
        />
      )}
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
              fontSize={fontSize}
              context={context}
              events={{
                onState: (next) => terminals.setState(pane, next),
                onSelect: () => pane !== tab.pane && tabs.selectPane(pane),
                onClose: () => terminals.closePane(tab, pane),
              }}
              ref={(handle) => terminals.setHandle(pane, handle)}
            />
          )),
        )}
      </div>
    </div>
  )
}
