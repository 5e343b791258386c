import { deviceNotConnected } from '../../../../shared/dtos/hub-result.ts'
import type { TerminalOutputDto, TerminalSessionResult } from '../../../../shared/dtos/terminal.ts'
import { liveState, onLiveState, onTerminalOutput, viewer } from '../../../api/hubs.ts'
import { en as t } from '../../../strings/en.ts'
import { createInputQueue, type TerminalMessage, type TerminalSize } from './input-queue.ts'
import { createLineEditor } from './line-editor.ts'
import { forgetTerminal, newTerminalId, rememberedTerminal, rememberTerminal } from './terminal-id.ts'

export type TerminalState =
  { phase: 'waiting' | 'opening' | 'open' | 'lost' | 'ended' } | { phase: 'failed'; reason: string }

/** A pseudo-terminal takes keystrokes, a line-based one whole lines. */
export type TerminalKind = 'pty' | 'line'

/** The terminal on this side. */
export interface Screen {
  write(text: string): void
  reset(): void
  size(): TerminalSize
}

interface SessionOptions {
  deviceId: string
  screen: Screen
  onState: (state: TerminalState) => void
  onKind: (kind: TerminalKind, shell: string | undefined) => void
}

const standardError = 1
/** Between two tries to reach an agent that the server does not see, though the device was online a moment ago. */
const retryMs = 1_000
/** The agent ends a shell that nobody uses for 10 minutes; one that is on a screen is in use. */
const keepAliveMs = 4 * 60_000
const red = (text: string) => `\x1b[31m${text}\x1b[39m`
const note = (text: string) => `\r\n\x1b[2m${text}\x1b[22m\r\n`

/** One terminal on one device, through every loss of the channel or of the device, until `stop`. */
export function createTerminalSession({ deviceId, screen, onState, onKind }: SessionOptions) {
  let terminalId = ''
  /** Unknown until the agent has answered; what it sends before is kept in `early`. */
  let kind: TerminalKind | undefined
  let early: TerminalOutputDto[] = []
  /** Typed before it was known how to send it. */
  let typed = ''
  let phase: TerminalState['phase'] = 'waiting'
  let isDeviceOnline = false
  /** Counts the attempts, so that the answer to an older one is not taken for the newest. */
  let attempt = 0

  const enter = (state: TerminalState) => {
    phase = state.phase
    onState(state)
  }
  const fail = (reason: string | null) => enter({ phase: 'failed', reason: reason ?? '' })
  const lose = () => {
    queue.hold()
    enter({ phase: 'lost' })
  }

  const queue = createInputQueue(async (message: TerminalMessage) => {
    const input = { terminalId, isRaw: kind === 'pty' || undefined, ...message }
    const { isSuccess, reason } = await viewer.SendTerminalInput2({ deviceId, input })
    if (!isSuccess) {
      throw new Error(reason ?? undefined)
    }
  }, lose)

  const editor = createLineEditor({
    write: screen.write,
    // An empty line is sent too: it may be the answer to a question of the running command.
    submit: queue.line,
  })

  function show({ output, outputKind, isReplay, isExit }: TerminalOutputDto) {
    if (isReplay) {
      screen.reset()
    }
    if (kind === 'line') {
      editor.print(outputKind === standardError ? red(output) : output)
    } else {
      screen.write(output)
    }
    if (isExit) {
      forgetTerminal(deviceId)
      queue.hold()
      queue.clear()
      screen.write(note(t.terminal.endedLine))
      enter({ phase: 'ended' })
    }
  }

  function begin({ isPty, shell }: TerminalSessionResult) {
    kind = isPty ? 'pty' : 'line'
    onKind(kind, shell)
    enter({ phase: 'open' })
    if (kind === 'pty') {
      rememberTerminal(deviceId, terminalId)
      queue.resize(screen.size())
    }
    const outputs = early
    early = []
    outputs.forEach(show)
    if (phase === 'open') {
      queue.release()
      const text = typed
      typed = ''
      type(text)
    }
  }

  function type(data: string) {
    if (phase === 'ended' || phase === 'failed') {
      if (data === '\r') {
        openAfresh()
      }
    } else if (!kind) {
      typed += data
    } else if (kind === 'line') {
      editor.type(data)
    } else if (data !== '') {
      queue.type(data)
    }
  }

  /** Runs one attempt to get a terminal; what it answers counts only while no later one has begun. */
  async function attempting(
    id: string,
    call: () => Promise<TerminalSessionResult>,
    onRefused: (reason: string | null) => void,
  ) {
    const mine = ++attempt
    terminalId = id
    kind = undefined
    early = []
    queue.hold()
    enter({ phase: 'opening' })
    try {
      const result = await call()
      if (mine === attempt) {
        if (result.isSuccess) {
          begin(result)
        } else if (result.reason === deviceNotConnected) {
          lose()
          setTimeout(() => mine === attempt && phase === 'lost' && resume(), retryMs)
        } else {
          onRefused(result.reason)
        }
      }
    } catch (error) {
      if (mine === attempt && liveState().state === 'live') {
        fail(error instanceof Error ? error.message : null)
      }
    }
  }

  const open = () => {
    const id = newTerminalId()
    return attempting(id, () => viewer.CreateTerminalSession2({ deviceId, terminalId: id }), fail)
  }

  const attach = (id: string) =>
    attempting(
      id,
      () => {
        const input = { terminalId: id, input: '', isRaw: true, isAttach: true, ...screen.size() }
        return viewer.SendTerminalInput2({ deviceId, input })
      },
      // The shell has ended: a new one is started.
      () => void open(),
    )

  function openAfresh() {
    queue.clear()
    typed = ''
    forgetTerminal(deviceId)
    screen.reset()
    void open()
  }

  /** Goes on after the channel, the device or the page was away. */
  function resume() {
    if (liveState().state !== 'live' || !isDeviceOnline) {
      return
    }
    const known = rememberedTerminal(deviceId)
    if (known) {
      void attach(known)
    } else {
      if (phase !== 'waiting') {
        screen.write(note(t.terminal.newSessionLine))
        queue.clear()
      }
      void open()
    }
  }

  const keepAlive = setInterval(() => {
    if (phase === 'open' && kind === 'pty') {
      queue.resize(screen.size())
    }
  }, keepAliveMs)

  const stops = [
    () => clearInterval(keepAlive),
    onTerminalOutput((output) => {
      if (output.terminalId !== terminalId) {
        return
      }
      if (kind) {
        show(output)
      } else {
        early.push(output)
      }
    }),
    onLiveState(({ state }) => {
      if (phase === 'ended') {
        return
      }
      if (state === 'live') {
        resume()
      } else if (phase !== 'waiting') {
        lose()
      }
    }),
  ]

  return {
    /** Takes keystrokes, and the reports that programs ask the terminal for. */
    type,
    resize(size: TerminalSize) {
      if (kind === 'pty') {
        queue.resize(size)
      }
    },
    /** Tells whether the device is there; the session waits while it is not. */
    setDeviceOnline(isOnline: boolean) {
      const wasOnline = isDeviceOnline
      isDeviceOnline = isOnline
      if (isOnline && !wasOnline && phase !== 'ended') {
        resume()
      } else if (!isOnline && phase !== 'ended' && phase !== 'waiting') {
        lose()
      }
    },
    retry: () => (phase === 'lost' ? resume() : openAfresh()),
    /** Ends the running shell and starts another. */
    restart() {
      if (terminalId && liveState().state === 'live') {
        void viewer.CloseTerminalSession2({ deviceId, terminalId }).catch(() => {})
      }
      openAfresh()
    },
    /** Lets go of the terminal. The shell goes on for a while, for coming back to it. */
    stop() {
      attempt++
      stops.forEach((stop) => stop())
    },
  }
}

export type TerminalSession = ReturnType<typeof createTerminalSession>
