import { liveState, onLiveState, onTerminalOutput } from '../../api/hubs.ts'
import { Attachment } from './attachment.ts'
import type { CompletionMatch } from './completer.ts'
import type { TerminalSize } from './input-queue.ts'
import type { SessionOptions } from './session-types.ts'
import { SharedSize } from './shared-size.ts'
import { ShellOutput } from './shell-output.ts'
import { terminalCalls } from './terminal-calls.ts'
import { TypedInput } from './typed-input.ts'

/** The agent ends a shell that nobody uses for 10 minutes; one that is on a screen is in use. */
const keepAliveMs = 4 * 60_000

/** Input, output, size and attachment of one terminal, each told what it needs to know of the others. */
function joinParts({ deviceId, place, shell, screen, ...told }: SessionOptions) {
  const calls = terminalCalls(deviceId)
  const input: TypedInput = new TypedInput({
    write: screen.write,
    send: (message) => attachment.send(message),
    onUnsent: (error) => attachment.takeFailure(error),
    onHeld: told.onHeld,
    onKeys: () => size.fit(),
    complete: (request) => calls.complete(attachment.terminalId, request),
    onCompletions: told.onCompletions,
  })
  const size = new SharedSize({ screen, send: (next) => input.resize(next), onFollow: told.onFollow })
  const output = new ShellOutput({
    screen,
    print: (text) => input.print(text),
    onSize: (next) => size.follow(next),
    onExit() {
      input.end()
      attachment.end()
    },
  })
  const attachment: Attachment = new Attachment({
    place,
    shell,
    calls,
    size,
    isLive: () => liveState().state === 'live',
    onState: told.onState,
    onOpening() {
      input.expect()
      output.expect()
    },
    onOpen({ shell: running, shells }, kind, isAnother) {
      told.onShell({ kind, shell: running, shells: shells ?? [] })
      if (isAnother) {
        output.nameAnother()
      }
      input.begin(kind)
      if (kind === 'pty') {
        size.send()
      }
      output.begin(kind)
      // What came early may have told of its end.
      if (attachment.phase === 'open') {
        input.release()
      }
    },
    onLost: () => input.lose(),
    onBack: () => input.release(),
  })
  return { input, output, size, attachment }
}

/** One terminal on one device, through every loss of the channel or of the device, until `stop`. */
export function createTerminalSession(options: SessionOptions) {
  const { input, output, size, attachment } = joinParts(options)

  function openAfresh() {
    input.clear()
    options.screen.reset()
    attachment.openAfresh()
  }

  const keepAlive = setInterval(() => {
    if (attachment.phase === 'open' && attachment.kind === 'pty') {
      size.send()
    }
  }, keepAliveMs)

  const stops = [
    () => clearInterval(keepAlive),
    onTerminalOutput((next) => {
      if (next.terminalId === attachment.terminalId && attachment.phase !== 'ended') {
        output.receive(next)
      }
    }),
    onLiveState(({ state }) => attachment.setChannel(state)),
  ]

  return {
    /** Takes keystrokes, and the reports that programs ask the terminal for. */
    type(data: string) {
      const { phase } = attachment
      if (phase !== 'ended' && phase !== 'failed') {
        input.type(data, phase === 'open')
      } else if (data === '\r') {
        openAfresh()
      }
    },
    resize(next: TerminalSize) {
      if (attachment.kind === 'pty' && !size.isFollowing) {
        input.resize(next)
      }
    },
    /** Takes the terminal back from the size of another viewer. */
    fit: () => size.fit(),
    /** Puts a completion into the line. */
    pick: (match: CompletionMatch) => input.pick(match),
    forgetCompletions: () => input.forgetCompletions(),
    /** Tells whether the device is there; the session waits while it is not. */
    setDeviceOnline: (isOnline: boolean) => attachment.setDeviceOnline(isOnline),
    retry: () => (attachment.phase === 'lost' ? attachment.resume() : openAfresh()),
    /** Sends what was held back, once somebody has seen it and there is a shell to take it. */
    sendHeld() {
      if (attachment.phase === 'open') {
        input.sendHeld()
      }
    },
    dropHeld: () => input.dropHeld(),
    /** Ends the running shell. */
    close: () => attachment.close(),
    /** Lets go of the terminal. The shell goes on for a while, for coming back to it. */
    stop() {
      attachment.letGo()
      stops.forEach((stop) => stop())
    },
  }
}

export type TerminalSession = ReturnType<typeof createTerminalSession>
