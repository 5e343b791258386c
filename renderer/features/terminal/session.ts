import { cutText } from '../../../shared/cut-text.ts'
import { onTerminalOutput, viewer } from '../../api/hubs.ts'
import { createGuestHub } from './guest-hub.ts'
import { followReachability } from '../viewer-kit/reachability.ts'
import { Store } from '../viewer-kit/store.ts'
import { Attachment } from './attachment.ts'
import { boundedWriter } from './bounded-writer.ts'
import type { Screen, TerminalState } from './session-types.ts'
import { SharedSize } from './shared-size.ts'
import { ShellOutput } from './shell-output.ts'
import { placeOf, rememberTerminal } from './terminal-id.ts'
import { TypedInput } from './typed-input.ts'
import type { Xterm } from './xterm.ts'

/** Interval of keep-alives. The agent ends a shell after 10 minutes without use; a shell on screen counts as used. */
const keepAliveMs = 4 * 60_000

const maxTitle = 80

/** Removes characters that are invisible or change the direction of the text around them. */
const plainTitle = (text: string) => cutText(text.replaceAll(/[\p{Cc}\p{Cf}]/gu, ''), maxTitle)

interface SessionOptions {
  xterm: Xterm
  deviceId: string
  pane: number
  /** Program to run, if the device has it. */
  shell: string | undefined
  /** Id of a terminal of somebody else, which this page sees as a guest; undefined for own terminals. */
  sharedTerminalId: string | undefined
}

function screenOf({ terminal, write, follow }: Xterm): Screen {
  return {
    write: boundedWriter(write),
    reset: () => terminal.reset(),
    size: () => ({ columns: terminal.cols, rows: terminal.rows }),
    follow,
    setKind: (kind) => (terminal.options.convertEol = kind === 'line'),
  }
}

/** Connects input, output, size and attachment of one terminal. */
function connectParts({ xterm, deviceId, pane, shell, sharedTerminalId }: SessionOptions, store: Store<TerminalState>) {
  const screen = screenOf(xterm)
  const isGuest = sharedTerminalId !== undefined
  if (isGuest) {
    rememberTerminal(placeOf(deviceId, pane), sharedTerminalId)
  }
  const input: TypedInput = new TypedInput({
    write: screen.write,
    send: (message) => attachment.send(message),
    onUnsent: (error) => attachment.takeFailure(error),
    onPending: (pending) => store.update({ pending }),
    // The owner sets the size of a shared terminal.
    onKeys: () => !isGuest && size.fit(),
    complete: (request) => attachment.complete(request),
    onCompletions: (completions) => store.update({ completions }),
  })
  const size = new SharedSize({
    screen,
    send: (next) => input.resize(next),
    onFollow: (isFollowing) =>
      store.update({ isFollowing, followedColumns: isFollowing ? xterm.terminal.cols : undefined }),
  })
  const output = new ShellOutput({
    screen,
    print: (text) => input.editor.print(text),
    onSize: (next) => size.follow(next),
    onExit() {
      input.end()
      attachment.end()
    },
  })
  const attachment: Attachment = new Attachment({
    hub: isGuest ? createGuestHub() : viewer,
    deviceId,
    place: placeOf(deviceId, pane),
    shell,
    size,
    onState: (session) => store.update({ session }),
    onOpening() {
      input.expect()
      output.expect()
    },
    onOpen({ shell: running, shells }, kind, isAnother) {
      screen.setKind(kind)
      store.update({ facts: { kind, shell: running, shells: shells ?? [] } })
      if (isAnother) {
        output.nameAnother()
      }
      input.begin(kind)
      if (kind === 'pty') {
        size.send()
      }
      output.begin(kind)
      // Early output may contain the exit of the shell.
      if (attachment.phase === 'open') {
        input.release()
      }
    },
    onLost: () => input.lose(),
    onBack: () => input.release(),
  })
  return { input, output, size, attachment }
}

/** Session of one terminal of the device. Reattaches after a lost connection until `stop`. */
export function createTerminalSession(options: SessionOptions) {
  const store = new Store<TerminalState>({
    session: { phase: 'idle' },
    facts: undefined,
    title: '',
    hasSelection: false,
    pending: '',
    completions: undefined,
    isFollowing: false,
    followedColumns: undefined,
  })
  const { terminal, isOldAnswer, isReport } = options.xterm
  const isGuest = options.sharedTerminalId !== undefined
  const { input, output, size, attachment } = connectParts(options, store)
  const reachability = followReachability((isReachable) => attachment.setReachable(isReachable))

  function openAfresh() {
    input.clear()
    terminal.reset()
    attachment.openAfresh()
  }

  /** Handles keystrokes and terminal reports. The owner's page answers queries of programs, a guest's never does. */
  function type(data: string) {
    if (isReport(data)) {
      if (!isGuest && attachment.phase === 'open') {
        input.report(data)
      }
    } else if (attachment.phase !== 'ended') {
      input.type(data, attachment.phase === 'open')
    } else if (data === '\r') {
      openAfresh()
    }
  }

  const keepAlive = setInterval(() => {
    if (attachment.phase === 'open' && attachment.kind === 'pty') {
      size.send()
    }
  }, keepAliveMs)
  const stopOutput = onTerminalOutput((next) => {
    if (next.terminalId === attachment.terminalId && attachment.phase !== 'ended') {
      output.receive(next)
    }
  })
  const listeners = [
    terminal.onData((data) => isOldAnswer(data) || type(data)),
    terminal.onBinary(type),
    terminal.onResize(({ cols, rows }) => {
      if (attachment.kind === 'pty' && !size.isFollowing) {
        input.resize({ columns: cols, rows })
      }
    }),
    terminal.onSelectionChange(() => store.update({ hasSelection: terminal.hasSelection() })),
    terminal.onTitleChange((text) => store.update({ title: plainTitle(text) })),
  ]

  return {
    store,
    completer: input.completer,
    /** Sets the terminal to the size of this page instead of another viewer's. */
    fit: () => size.fit(),
    setDeviceOnline: reachability.setDeviceOnline,
    retry: openAfresh,
    /** Sends pending input, if a shell can receive it. */
    sendPending() {
      if (attachment.phase === 'open') {
        input.sendPending()
      }
    },
    dropPending: () => input.dropPending(),
    /** Ends the running shell. */
    close: () => attachment.close(),
    /** Detaches from the terminal. The shell keeps running for a while, so that the page can reattach. */
    stop() {
      attachment.detach()
      reachability.stop()
      clearInterval(keepAlive)
      stopOutput()
      listeners.forEach((listener) => listener.dispose())
    },
  }
}

export type TerminalSession = ReturnType<typeof createTerminalSession>
