import { Alert, Button } from '@mantine/core'
import { IconPlugConnectedX, IconX } from '@tabler/icons-react'
import {
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
  type Ref,
  type RefObject,
} from 'react'
import { ConsentWait } from '../../components/consent-wait.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'
import * as t from '../../texts.ts'
import { terminalActions, type PaneHandle, type TerminalContext } from './actions.ts'
import { CompletionList } from './completion-list.tsx'
import { FindBar } from './find-bar.tsx'
import { LinkQuestion } from './link-question.tsx'
import { PendingInputBox } from './pending-input-box.tsx'
import { KeyRow } from './key-row.tsx'
import type { Rect } from './layout.ts'
import { paneName } from './names.ts'
import { PasteQuestion } from './paste-question.tsx'
import { useStore, useViewerSession } from '../viewer-kit/use-viewer-session.ts'
import { createTerminalSession, type TerminalSession } from './session.ts'
import type { TerminalState } from './session-types.ts'
import classes from './terminal-pane.module.css'
import { useTerminalClipboard, type TerminalClipboard } from './use-terminal-clipboard.ts'
import { useXterm } from './use-xterm.ts'
import type { Xterm } from './xterm.ts'
import { findAction, isUsable } from '../../components/actions.ts'

interface KeyOptions {
  /** Whether the browser handles Ctrl+V; false if a program may use that key. */
  isPasteKey: boolean
  /** Whether keys reach the shell; otherwise Tab leaves the terminal. */
  mayType: boolean
  /** Called when Ctrl+V is sent to the shell, where users expect it to paste. */
  onLiteralPaste: () => void
}

/**
 * Handler for `attachCustomKeyEventHandler`: returns false for keys that xterm must ignore. The terminal gets all other
 * keys, Esc too.
 */
function createKeyHandler(context: TerminalContext, { isPasteKey, mayType, onLiteralPaste }: KeyOptions) {
  return (event: KeyboardEvent) => {
    const found = findAction(terminalActions, event)
    if (found && (found.action.isOffered?.(context) ?? true)) {
      event.preventDefault()
      if (event.type === 'keydown' && isUsable(found.action, context)) {
        found.action.run(context, found.key)
      }
      return false
    }
    if (!event.ctrlKey || event.altKey || event.metaKey) {
      return mayType || event.key !== 'Tab'
    }
    const key = event.key.toLowerCase()
    // The browser pastes by itself, which needs no clipboard permission; xterm adds the paste brackets.
    const isForBrowser = event.shiftKey ? key === 'v' || key === 'k' : key === 'v' && isPasteKey
    if (key === 'v' && !isForBrowser && event.type === 'keydown') {
      onLiteralPaste()
    }
    return !isForBrowser
  }
}

const hintMs = 5_000

interface PaneView {
  /** Rectangle in the tab, in percent. */
  rect: Rect
  /** Whether the tab of the pane is visible. */
  isShown: boolean
  /** Whether the pane has the focus in its tab. */
  isActive: boolean
  /** Whether the tab has other panes. */
  isSplit: boolean
}

interface PaneEvents {
  onState: (state: TerminalState | undefined) => void
  onSelect: () => void
  onClose: () => void
}

/** Terminal of somebody else, which this page sees as a guest. */
interface SharedTerminal {
  id: string
  canType: boolean
}

export interface TerminalPaneProps {
  device: Pick<DeviceResponseDto, 'id' | 'name' | 'alias' | 'isOnline'>
  pane: number
  /** Requested program; undefined for the device's default. */
  shell: string | undefined
  view: PaneView
  fontSize: number
  context: TerminalContext
  events: PaneEvents
  /** Undefined for own terminals. */
  shared?: SharedTerminal
  ref: Ref<PaneHandle>
}

/** Terminal of a pane. */
interface Pane {
  xterm: Xterm | undefined
  session: TerminalSession | undefined
  state: TerminalState | undefined
  handle: PaneHandle
  clipboard: TerminalClipboard
  isPasteHinted: boolean
  isFinding: boolean
  endFind: () => void
}

/** Runs an action, then focuses the terminal. */
const thenFocus = (handle: PaneHandle, act: () => void) => () => {
  act()
  handle.focus()
}

function usePane(place: RefObject<HTMLDivElement | null>, props: TerminalPaneProps): Pane {
  const { device, pane, shell, view, context, events, ref, shared } = props
  const xterm = useXterm(place, t.terminal.label(nameOfDevice(device)), props.fontSize)
  const [isPasteHinted, setIsPasteHinted] = useState(false)
  const [isFinding, setIsFinding] = useState(false)
  const deviceId = device.id
  const sharedTerminalId = shared?.id
  const source = useMemo(
    () => xterm && { xterm, deviceId, pane, shell, sharedTerminalId },
    [xterm, deviceId, pane, shell, sharedTerminalId],
  )
  const mayType = shared?.canType ?? true
  useEffect(() => {
    if (xterm) {
      xterm.terminal.options.disableStdin = !mayType
    }
  }, [xterm, mayType])
  const { session, state } = useViewerSession(source, createTerminalSession, device.isOnline) ?? {}
  const pending = state?.pending ?? ''
  const focus = () => xterm?.terminal.focus()
  const isLive = state?.session.phase === 'open' && pending === ''
  const clipboard = useTerminalClipboard({ xterm, place, isLive, focus })
  const { isShown, isActive } = view

  useEffect(() => {
    if (isShown && isActive) {
      xterm?.terminal.focus()
    }
  }, [xterm, isShown, isActive])
  useEffect(() => {
    const timer = isPasteHinted ? setTimeout(() => setIsPasteHinted(false), hintMs) : undefined
    return () => clearTimeout(timer)
  }, [isPasteHinted])
  const report = useEffectEvent(events.onState)
  useEffect(() => report(state), [state])

  const handle: PaneHandle = {
    focus,
    copy: () => void clipboard.copy(),
    paste: () => void clipboard.paste(),
    clear() {
      xterm?.terminal.clear()
      focus()
    },
    find: () => setIsFinding(true),
    sendPending() {
      session?.sendPending()
      focus()
    },
    dropPending() {
      session?.dropPending()
      focus()
    },
    close: () => session?.close(),
  }
  useImperativeHandle(ref, () => handle)
  useEffect(() => {
    xterm?.terminal.attachCustomKeyEventHandler(
      createKeyHandler(
        { ...context, pane: handle, hasPending: pending !== '', hasSelection: state?.hasSelection ?? false },
        { isPasteKey: state?.facts?.kind === 'line', mayType, onLiteralPaste: () => setIsPasteHinted(true) },
      ),
    )
  })
  const endFind = thenFocus(handle, () => setIsFinding(false))
  return { xterm, session, state, handle, clipboard, isPasteHinted, isFinding, endFind }
}

/** Boxes and hints above the screen of a terminal. */
function Overlays({
  isGuest,
  xterm,
  session,
  state,
  handle,
  clipboard,
  isPasteHinted,
  isFinding,
  endFind,
}: Pane & { isGuest: boolean }) {
  const links = useStore(xterm?.links)
  const { pending = '', completions } = state ?? {}
  const hint =
    (isPasteHinted && t.terminal.pasteHint) ||
    (links?.hovered !== undefined && t.terminal.linkHint(new URL(links.hovered).host)) ||
    (completions && 'problem' in completions && completions.problem)
  return (
    <>
      {isFinding && xterm && <FindBar search={xterm.search} onClose={endFind} />}
      {pending !== '' && xterm && (
        <PendingInputBox
          text={pending}
          xterm={xterm}
          isReady={state?.session.phase === 'open'}
          onSend={handle.sendPending}
          onDrop={handle.dropPending}
        />
      )}
      {clipboard.question !== undefined && (
        <PasteQuestion text={clipboard.question} onPaste={clipboard.confirm} onCancel={clipboard.cancel} />
      )}
      {links?.asked !== undefined && (
        <LinkQuestion
          address={links.asked}
          onClose={thenFocus(handle, () => xterm?.links.update({ asked: undefined }))}
        />
      )}
      {completions && 'matches' in completions && xterm && session && (
        <CompletionList
          {...completions}
          xterm={xterm}
          onPick={(match) => thenFocus(handle, () => session.completer.pick(match))()}
          onClose={thenFocus(handle, session.completer.forget)}
        />
      )}
      {hint && (
        <p className={`${classes.hint} small`} role="status">
          {hint}
        </p>
      )}
      {session && state?.isFollowing && !isGuest && (
        <p className={`${classes.hint} small`} role="status">
          {t.terminal.following}
          <Button variant="default" size="compact-xs" ml="xs" onClick={thenFocus(handle, session.fit)}>
            {t.terminal.fit}
          </Button>
        </p>
      )}
    </>
  )
}

export function TerminalPane(props: TerminalPaneProps) {
  const { device, view, events } = props
  const place = useRef<HTMLDivElement>(null)
  const pane = usePane(place, props)
  const { state, session, handle } = pane
  const { rect, isShown, isActive, isSplit } = view
  const phase = state?.session.phase ?? 'idle'
  const name = paneName(state, props.pane)
  return (
    <section
      className={classes.pane}
      aria-label={name}
      data-shown={isShown || undefined}
      data-active={isActive || undefined}
      data-split={isSplit || undefined}
      style={{ left: `${rect.left}%`, top: `${rect.top}%`, width: `${rect.width}%`, height: `${rect.height}%` }}
      onFocus={events.onSelect}
    >
      {isSplit && (
        <header
          className={`${classes.paneHead} small`}
          onMouseDown={(event) => event.preventDefault()}
          onClick={handle.focus}
        >
          <bdi className="truncate">{name}</bdi>
          <IconButton
            label={t.terminal.closePane(name)}
            hint={t.terminal.closePaneHint}
            icon={<IconX size={14} />}
            size={20}
            onClick={(event) => {
              event.stopPropagation()
              events.onClose()
            }}
          />
        </header>
      )}
      {state?.session.phase === 'ended' && state.session.cause === 'failure' && device.isOnline && (
        <Alert
          className={classes.notice}
          color="danger"
          icon={<IconPlugConnectedX size={18} />}
          title={t.terminal.failed}
          role="alert"
        >
          {state.session.reason}
          <Button variant="default" size="xs" ml="sm" onClick={thenFocus(handle, () => session?.retry())}>
            {t.common.retry}
          </Button>
        </Alert>
      )}
      <div className={classes.screen} data-away={['lost', 'idle', 'connecting'].includes(phase) || undefined}>
        <div
          ref={place}
          className={classes.place}
          data-testid="terminal"
          data-follows={state?.isFollowing || undefined}
        />
        <Overlays {...pane} isGuest={props.shared !== undefined} />
        {phase === 'connecting' && !props.shared && (
          <div className={classes.asking}>
            <ConsentWait device={device} subject="terminal" />
          </div>
        )}
      </div>
      {pane.xterm && isActive && (props.shared?.canType ?? true) && <KeyRow xterm={pane.xterm} />}
    </section>
  )
}
