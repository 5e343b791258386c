import { ActionIcon, Alert, Button, Tooltip } from '@mantine/core'
import { IconPlugConnectedX, IconX } from '@tabler/icons-react'
import { useEffect, useImperativeHandle, useRef, useState, type Ref } from 'react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { en as t } from '../../strings/en.ts'
import { CompletionList } from './completion-list.tsx'
import { FindBar } from './find-bar.tsx'
import { HeldBox } from './held-box.tsx'
import type { Rect } from './layout.ts'
import { PasteQuestion } from './paste-question.tsx'
import { createKeyHandler, type FrameActions } from './terminal-keys.ts'
import classes from './terminal-pane.module.css'
import { useClipboard } from './use-clipboard.ts'
import { useTerminalSession, type PaneStatus } from './use-terminal-session.ts'
import { useXterm } from './use-xterm.ts'

const hintMs = 5_000

/** What the toolbar does with the terminal that has the keyboard. */
export interface PaneHandle {
  focus(): void
  copy(): void
  paste(): void
  clear(): void
  find(): void
  /** Ends its shell. */
  close(): void
}

interface TerminalPaneProps {
  device: DeviceResponseDto
  pane: number
  /** The program that was asked for; undefined: the device's usual one. */
  shell: string | undefined
  name: string
  /** Its part of the room. */
  rect: Rect
  /** Its tab is the one on screen. */
  isShown: boolean
  /** It is the one of its tab that is typed into. */
  isActive: boolean
  /** There are others in its tab. */
  isSplit: boolean
  fontSize: number
  actions: FrameActions
  onStatus: (status: PaneStatus) => void
  onSelect: () => void
  onClose: () => void
  ref: Ref<PaneHandle>
}

/** One terminal. */
export function TerminalPane(props: TerminalPaneProps) {
  const { device, pane, shell, name, rect, isShown, isActive, isSplit, fontSize, actions, ref } = props
  const place = useRef<HTMLDivElement>(null)
  const xterm = useXterm(place, t.terminal.label(device.name), fontSize)
  const [isPasteHinted, setIsPasteHinted] = useState(false)
  const [isFinding, setIsFinding] = useState(false)
  const { session, state, facts, held, completions, isFollowing } = useTerminalSession({
    xterm,
    device,
    pane,
    shell,
    onStatus: props.onStatus,
  })
  const focus = () => xterm?.terminal.focus()
  const clipboard = useClipboard({ xterm, place, isLive: state.phase === 'open' && held === '', focus })

  useEffect(() => {
    if (isShown && isActive) {
      xterm?.terminal.focus()
    }
  }, [xterm, isShown, isActive])

  useEffect(() => {
    const timer = isPasteHinted ? setTimeout(() => setIsPasteHinted(false), hintMs) : undefined
    return () => clearTimeout(timer)
  }, [isPasteHinted])

  /** Does something with the session, and gives the hands back to the terminal. */
  const andFocus = (act: () => void) => () => {
    act()
    focus()
  }
  const sendHeld = andFocus(() => session.current?.sendHeld())
  const dropHeld = andFocus(() => session.current?.dropHeld())

  useImperativeHandle(ref, () => ({
    focus,
    copy: () => void clipboard.copy(),
    paste: () => void clipboard.paste(),
    clear: andFocus(() => xterm?.terminal.clear()),
    find: () => setIsFinding(true),
    close: () => session.current?.close(),
  }))

  useEffect(() => {
    xterm?.terminal.attachCustomKeyEventHandler(
      createKeyHandler({
        ...actions,
        copy: () => void clipboard.copy(),
        find: () => setIsFinding(true),
        held: held === '' ? undefined : { send: sendHeld, drop: dropHeld },
        isPasteKey: facts?.kind === 'line',
        literalPaste: () => setIsPasteHinted(true),
      }),
    )
  })

  return (
    <section
      className={classes.pane}
      aria-label={name}
      data-shown={isShown || undefined}
      data-active={isActive || undefined}
      data-split={isSplit || undefined}
      style={{ left: `${rect.left}%`, top: `${rect.top}%`, width: `${rect.width}%`, height: `${rect.height}%` }}
      onFocus={props.onSelect}
    >
      {isSplit && (
        <header className={`${classes.paneHead} small`} onMouseDown={(event) => event.preventDefault()} onClick={focus}>
          <bdi className="truncate">{name}</bdi>
          <Tooltip label={t.terminal.closePaneHint}>
            <ActionIcon
              size={20}
              aria-label={t.terminal.closePane(name)}
              onClick={(event) => {
                event.stopPropagation()
                props.onClose()
              }}
            >
              <IconX size={14} />
            </ActionIcon>
          </Tooltip>
        </header>
      )}
      {state.phase === 'failed' && device.isOnline && (
        <Alert
          className={classes.notice}
          color="danger"
          icon={<IconPlugConnectedX size={18} />}
          title={t.terminal.failed}
          role="alert"
        >
          {state.reason}
          <Button variant="default" size="xs" ml="sm" onClick={andFocus(() => session.current?.retry())}>
            {t.terminal.retry}
          </Button>
        </Alert>
      )}
      <div className={classes.screen} data-away={['lost', 'waiting', 'opening'].includes(state.phase) || undefined}>
        <div ref={place} className={classes.place} data-testid="terminal" data-follows={isFollowing || undefined} />
        {isFinding && xterm && <FindBar search={xterm.search} onClose={andFocus(() => setIsFinding(false))} />}
        {held !== '' && xterm && (
          <HeldBox text={held} xterm={xterm} isReady={state.phase === 'open'} onSend={sendHeld} onDrop={dropHeld} />
        )}
        {clipboard.question !== undefined && (
          <PasteQuestion text={clipboard.question} onPaste={clipboard.confirm} onCancel={clipboard.cancel} />
        )}
        {completions && 'matches' in completions && xterm && (
          <CompletionList
            {...completions}
            xterm={xterm}
            onPick={(match) => andFocus(() => session.current?.pick(match))()}
            onClose={andFocus(() => session.current?.forgetCompletions())}
          />
        )}
        {isPasteHinted && (
          <p className={`${classes.hint} small`} role="status">
            {t.terminal.pasteHint}
          </p>
        )}
        {completions && 'problem' in completions && (
          <p className={`${classes.hint} small`} role="status">
            {completions.problem}
          </p>
        )}
        {isFollowing && (
          <p className={`${classes.hint} small`} role="status">
            {t.terminal.following}
            <Button variant="default" size="compact-xs" ml="xs" onClick={andFocus(() => session.current?.fit())}>
              {t.terminal.fit}
            </Button>
          </p>
        )}
      </div>
    </section>
  )
}
