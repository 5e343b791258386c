import { Badge, Button } from '@mantine/core'
import { IconZoomIn, IconZoomOut } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type Dispatch, type RefObject, type SetStateAction } from 'react'
import type { SharedTerminalDto } from '../../../shared/api/appliance-terminal-shares.ts'
import { api, statusOf } from '../../api/http.ts'
import { connect, disconnect, onLiveState, onTerminalOutput } from '../../api/hubs.ts'
import { forgetPageKey } from '../../api/page-key.ts'
import { IconButton } from '../../components/icon-button.tsx'
import { FirstLoad } from '../../components/page-state.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { Toasts } from '../../components/toasts.tsx'
import { VisitorCard } from '../../components/visitor-card.tsx'
import type { PaneHandle, TerminalContext } from '../../features/terminal/actions.ts'
import type { TerminalState } from '../../features/terminal/session-types.ts'
import { TerminalPane } from '../../features/terminal/terminal-pane.tsx'
import { focusToolbar } from '../../features/viewer-kit/viewer-toolbar.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { useVisitorTheme } from '../../hooks/use-theme.ts'
import { moment } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import { useWidth } from '../../hooks/use-width.ts'
import * as t from '../../texts.ts'
import classes from './shared-terminal.module.css'

const texts = t.terminal.sharing

/** The page learns of each change; the interval is for a device that comes back. */
const reloadMs = 5_000

const nothing = () => {}

/** Actions of a page with one terminal: neither tabs nor panes. */
const contextOf = (
  own: Pick<TerminalContext, 'pane' | 'focusToolbar' | 'changeFontSize' | 'resetFontSize'>,
): TerminalContext => ({
  ...own,
  recording: undefined,
  sharing: undefined,
  hasSelection: false,
  hasPending: false,
  canSplit: false,
  isFullScreen: false,
  toggleFullScreen: nothing,
  newTab: nothing,
  stepTab: nothing,
  split: nothing,
  movePane: nothing,
  closePane: nothing,
})

const fontSizes = { min: 7, readable: 11, usual: 14, max: 32 }
/** Width of a character, in parts of the font size, and the padding beside the terminal. */
const widthOfCharacter = 0.61
const padding = 40

/** Font size with which a number of columns fits; the smallest readable one for more columns, which are scrolled. */
const fittingSize = (width: number, columns: number) =>
  Math.max(fontSizes.readable, Math.min(fontSizes.usual, Math.floor((width - padding) / columns / widthOfCharacter)))

/** Change of the font size by the guest. */
interface Zoom {
  zoom: number
  setZoom: Dispatch<SetStateAction<number>>
}

const zoomedBy = (change: number) => (before: number) =>
  Math.max(fontSizes.min - fontSizes.usual, Math.min(fontSizes.max - fontSizes.usual, before + change))

interface ScreenProps extends Zoom {
  shared: SharedTerminalDto
  handle: RefObject<PaneHandle | null>
  /** Moves the focus out of the terminal, which takes the Tab key. */
  onLeave: () => void
}

function Screen({ shared, zoom, setZoom, handle, onLeave }: ScreenProps) {
  const { ref, width } = useWidth()
  const [state, setState] = useState<TerminalState>()
  const columns = state?.followedColumns
  const fitting = columns !== undefined && width > 0 ? fittingSize(width, columns) : fontSizes.usual
  const fontSize = Math.max(fontSizes.min, Math.min(fontSizes.max, fitting + zoom))
  const phase = state?.session.phase
  return (
    <div ref={ref} className={classes.screen}>
      {shared.isOnline ? (
        (phase === undefined || phase === 'idle' || phase === 'connecting') && (
          <p className={classes.note} role="status">
            {texts.joining}
          </p>
        )
      ) : (
        <p className={classes.note} role="status">
          {texts.offline}
        </p>
      )}
      <TerminalPane
        device={{ id: shared.deviceId, name: shared.deviceName, alias: null, isOnline: shared.isOnline }}
        pane={0}
        shell={undefined}
        view={{ rect: { left: 0, top: 0, width: 100, height: 100 }, isShown: true, isActive: true, isSplit: false }}
        fontSize={fontSize}
        context={contextOf({
          pane: handle.current ?? undefined,
          focusToolbar: onLeave,
          changeFontSize: (change) => setZoom(zoomedBy(change)),
          resetFontSize: () => setZoom(0),
        })}
        events={{ onState: setState, onSelect: nothing, onClose: nothing }}
        shared={{ id: shared.terminalId, canType: shared.canType }}
        ref={handle}
      />
    </div>
  )
}

function Room({ shared, onLeave }: { shared: SharedTerminalDto; onLeave: () => void }) {
  useVisitorTheme()
  const { byName, canType, deviceName, expiresAt } = shared
  const [zoom, setZoom] = useState(0)
  const page = useRef<HTMLElement>(null)
  const handle = useRef<PaneHandle>(null)
  return (
    <main ref={page} className={classes.page}>
      <header className={classes.head}>
        <div className={classes.about}>
          <h1 className="truncate">{texts.guestTitle(visibleName(deviceName))}</h1>
          <span className="small muted truncate">
            {byName === null ? '' : `${texts.by(visibleName(byName))} · `}
            {texts.ends(moment(Date.parse(expiresAt)))}
            {canType && ` · ${texts.leaveTerminal}`}
          </span>
        </div>
        <div
          className={classes.tools}
          role="toolbar"
          aria-label={t.terminal.toolbar}
          onKeyDown={({ key }) => key === 'Escape' && handle.current?.focus()}
        >
          <Badge variant="default" role="status">
            {canType ? texts.youType : texts.youWatch}
          </Badge>
          <IconButton
            label={t.terminal.smaller}
            icon={<IconZoomOut size={18} />}
            size={30}
            variant="default"
            onClick={() => setZoom(zoomedBy(-1))}
          />
          <IconButton
            label={t.terminal.larger}
            icon={<IconZoomIn size={18} />}
            size={30}
            variant="default"
            onClick={() => setZoom(zoomedBy(1))}
          />
          <Button size="compact-md" variant="default" onClick={onLeave}>
            {texts.leave}
          </Button>
        </div>
      </header>
      <Screen {...{ shared, zoom, setZoom, handle }} onLeave={() => focusToolbar(page.current)} />
      <Toasts />
    </main>
  )
}

/** Ends the visit of the guest. */
async function leave() {
  await disconnect()
  await api.visitor.logout({}).catch(nothing)
  forgetPageKey()
}

/** Page of a guest, to whom somebody shows one terminal. */
export function Component() {
  usePageTitle(texts.pageTitle)
  const [hasLeft, setHasLeft] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['shared-terminal'],
    queryFn: ({ signal }) => api.sharedTerminal.own({}, signal),
    enabled: !hasLeft,
    refetchInterval: (query) => (statusOf(query.state.error) === undefined ? reloadMs : false),
  })
  const status = statusOf(error)
  const hasEnded = hasLeft || status === 401 || status === 404
  useEffect(() => {
    if (hasEnded) {
      void disconnect()
      return
    }
    connect()
    const reload = () => void refetch()
    const stops = [
      onLiveState(({ state }) => state !== 'connecting' && reload()),
      onTerminalOutput(({ isSharingChanged, isExit }) => (isSharingChanged || isExit) && reload()),
    ]
    return () => stops.forEach((stop) => stop())
  }, [hasEnded, refetch])
  if (hasEnded) {
    return (
      <VisitorCard title={texts.endedTitle} intro={texts.endedText}>
        {null}
      </VisitorCard>
    )
  }
  if (!data) {
    return error && status !== undefined ? (
      <VisitorCard title={texts.pageTitle}>
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      </VisitorCard>
    ) : (
      <FirstLoad />
    )
  }
  return <Room shared={data} onLeave={() => void leave().then(() => setHasLeft(true))} />
}
