import { deviceNotConnected, terminalNotOpen } from '../../../../shared/dtos/hub-result.ts'
import type { TerminalOutputDto, TerminalSessionResult } from '../../../../shared/dtos/terminal.ts'
import { liveState, onLiveState, onTerminalOutput } from '../../../api/hubs.ts'
import { newId } from '../../../api/new-id.ts'
import { en as t } from '../../../strings/en.ts'
import { createCompleter } from './completer.ts'
import { createHeldInput } from './held-input.ts'
import { createInputQueue, type TerminalMessage, type TerminalSize } from './input-queue.ts'
import { createLineEditor } from './line-editor.ts'
import type { SessionOptions, TerminalKind, TerminalState } from './session-types.ts'
import { terminalCalls } from './terminal-calls.ts'
import { forgetTerminal, rememberedTerminal, rememberTerminal } from './terminal-id.ts'

const standardError = 1
/** Between two tries to reach an agent that the server does not see, though the device was online a moment ago. */
const retryMs = 1_000
/** A call that takes longer has no shell behind it that anybody sees; what is typed meanwhile is held. */
const patienceMs = 3_000
/** The agent ends a shell that nobody uses for 10 minutes; one that is on a screen is in use. */
const keepAliveMs = 4 * 60_000
const red = (text: string) => `\x1b[31m${text}\x1b[39m`
const note = (text: string) => `\r\n\x1b[2m${text}\x1b[22m\r\n`
// What a full-screen program of the earlier shell may have left behind: its screen, its modes, its colours.
const leaveProgram = '\x1b[?1049l\x1b[!p\x1b[?1000;1002;1003;1004;1006;2004l\x1b[0m'

/** One terminal on one device, through every loss of the channel or of the device, until `stop`. */
export function createTerminalSession(options: SessionOptions) {
  const { deviceId, place, screen, onState, onShell, onHeld } = options
  const calls = terminalCalls(deviceId)
  let terminalId = ''
  /** Unknown until the agent has answered; what it sends before is kept in `early`. */
  let kind: TerminalKind | undefined
  let early: TerminalOutputDto[] = []
  const held = createHeldInput(onHeld)
  /** This terminal has shown a shell before, so that another one must be named as such. */
  let hadShell = false
  /** Another viewer of this terminal has given it its size. */
  let isFollowing = false
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
    held.add(queue.takeBack())
    enter({ phase: 'lost' })
  }

  /** Runs a call; while it takes long, the terminal counts as lost. */
  async function watched<T>(call: Promise<T>) {
    const mine = attempt
    const timer = setTimeout(() => phase === 'open' && mine === attempt && lose(), patienceMs)
    const result = await call.finally(() => clearTimeout(timer))
    if (phase === 'lost' && mine === attempt && liveState().state === 'live' && isDeviceOnline) {
      enter({ phase: 'open' })
      queue.release()
    }
    return result
  }

  const queue = createInputQueue(
    async (message: TerminalMessage) => {
      try {
        const isRaw = kind === 'pty' || undefined
        const { isSuccess, reason } = await watched(calls.send(terminalId, isRaw, message))
        if (!isSuccess) {
          throw new Error(reason ?? undefined)
        }
      } catch (error) {
        // Whether it arrived is often unknown: the person decides, with the screen in sight.
        held.add(kind === 'line' ? `${message.input}\r` : message.input)
        throw error
      }
    },
    (error) => {
      lose()
      if (error instanceof Error && error.message === terminalNotOpen) {
        void open()
      }
    },
  )

  const editor = createLineEditor({
    write: screen.write,
    // An empty line is sent too: it may be the answer to a question of the running command.
    submit: queue.line,
    complete: (direction) => void completer.complete(direction),
    edited: () => completer.forget(),
  })
  const completer = createCompleter({
    line: editor,
    ask: (request) => calls.complete(terminalId, request),
    show: options.onCompletions,
  })

  function follow(size: TerminalSize | undefined) {
    const wasFollowing = isFollowing
    isFollowing = size !== undefined
    if (isFollowing || wasFollowing) {
      screen.follow(size)
      options.onFollow(isFollowing)
    }
  }

  function show({ output, outputKind, isReplay, isExit, columns, rows }: TerminalOutputDto) {
    if (columns !== undefined && rows !== undefined) {
      follow({ columns, rows })
    }
    if (isReplay) {
      screen.reset()
    }
    if (kind === 'line') {
      editor.print(outputKind === standardError ? red(output) : output)
    } else {
      screen.write(output)
    }
    if (isExit) {
      forgetTerminal(place)
      queue.hold()
      queue.clear()
      screen.write(note(t.terminal.endedLine))
      enter({ phase: 'ended' })
    }
  }

  function begin({ isPty, shell, shells }: TerminalSessionResult, isCreated: boolean) {
    kind = isPty ? 'pty' : 'line'
    onShell({ kind, shell, shells: shells ?? [] })
    if (isCreated && hadShell) {
      screen.write(leaveProgram + note(t.terminal.newShellLine))
    }
    hadShell = true
    enter({ phase: 'open' })
    rememberTerminal(place, terminalId, kind)
    if (kind === 'pty') {
      queue.resize(screen.size())
    }
    const outputs = early
    early = []
    outputs.forEach(show)
    if (phase === 'open') {
      queue.release()
    }
  }

  /** Takes the terminal back from the size of another viewer: it has that of whoever typed last. */
  function fit() {
    if (isFollowing) {
      follow(undefined)
      queue.resize(screen.size())
    }
  }

  function deliver(text: string) {
    if (kind === 'line') {
      editor.type(text)
    } else if (text !== '') {
      fit()
      queue.type(text)
    }
  }

  function type(data: string) {
    if (phase === 'ended' || phase === 'failed') {
      if (data === '\r') {
        openAfresh()
      }
    } else if (phase === 'open' && held.isEmpty()) {
      deliver(data)
    } else {
      held.add(data)
    }
  }

  /** Runs one attempt to get a terminal; what it answers counts only while no later one has begun. */
  async function attempting(
    id: string,
    isCreated: boolean,
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
          begin(result, isCreated)
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
    const id = newId()
    return attempting(id, true, () => calls.create(id, options.shell, screen.size()), fail)
  }

  const attach = (id: string) =>
    attempting(
      id,
      false,
      () => {
        follow(undefined)
        return calls.attach(id, screen.size())
      },
      // The shell has ended: a new one is started.
      () => void open(),
    )

  function openAfresh() {
    queue.clear()
    forgetTerminal(place)
    screen.reset()
    hadShell = false
    void open()
  }

  /** Goes on after the channel, the device or the page was away. */
  function resume() {
    if (liveState().state !== 'live' || !isDeviceOnline) {
      return
    }
    const known = rememberedTerminal(place)
    // Also when this page never showed it: it was there before the page was loaded.
    hadShell ||= known !== undefined
    if (known?.kind === 'pty') {
      void attach(known.id)
      return
    }
    if (known) {
      // What it printed meanwhile is lost, and its agent prints to a connection that is gone.
      calls.close(known.id)
    }
    void open()
  }

  const keepAlive = setInterval(() => {
    if (phase === 'open' && kind === 'pty') {
      queue.resize(screen.size())
    }
  }, keepAliveMs)

  const stops = [
    () => clearInterval(keepAlive),
    onTerminalOutput((output) => {
      if (output.terminalId !== terminalId || phase === 'ended') {
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
      if (kind === 'pty' && !isFollowing) {
        queue.resize(size)
      }
    },
    fit,
    /** Puts a completion into the line. */
    pick: completer.pick,
    forgetCompletions: completer.forget,
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
    /** Sends what was held back, once somebody has seen it and there is a shell to take it. */
    sendHeld() {
      if (phase === 'open') {
        deliver(held.take())
      }
    },
    dropHeld: () => void held.take(),
    /** Ends the running shell. */
    close() {
      forgetTerminal(place)
      if (terminalId && liveState().state === 'live') {
        calls.close(terminalId)
      }
    },
    /** Lets go of the terminal. The shell goes on for a while, for coming back to it. */
    stop() {
      attempt++
      stops.forEach((stop) => stop())
    },
  }
}

export type TerminalSession = ReturnType<typeof createTerminalSession>
